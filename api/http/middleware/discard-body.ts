/** Takes in what a client still sends of a body that is refused, so that it gets to read the answer. */
import type { IncomingMessage } from 'node:http'
import { discardedBody } from '../../../contract/limits.ts'

/**
 * Reads the rest of the body and keeps none of it. Many programs send all of a body before they read an answer, and
 * where the connection is closed under them they report that alone. Ends with the body, and before it where the client
 * sends more, or for longer, than `discardedBody` allows, or pauses.
 */
export function discardBody(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    let left: number = discardedBody.bytes
    const take = (chunk: Buffer | string): void => {
      left -= chunk.length
      pause.refresh()
      if (left < 0) end()
    }
    const end = (): void => {
      clearTimeout(pause)
      clearTimeout(whole)
      request.off('data', take).off('end', end).off('close', end)
      resolve()
    }
    const pause = setTimeout(end, discardedBody.pauseSeconds * 1000)
    const whole = setTimeout(end, discardedBody.seconds * 1000)
    request.on('end', end).on('close', end).on('data', take).resume()
  })
}
