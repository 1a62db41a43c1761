/**
 * Listens to the change stream (docs/reference/events.md), so that who waits looks again at once. A caller who may not
 * listen, or whose server has no stream, waits as long as without it.
 */
import { streamRetryMs } from '../../contract/limits.ts'
import { isPassing } from '../api-error.ts'
import type { Client } from '../client.ts'
import type { PollOptions } from './wait-until.ts'

/** What a message of the stream is about. */
export interface Change {
  readonly resource: string
  readonly name: string
}

type Sleep = PollOptions<unknown>['sleep']

export interface Changes {
  /** Sleeps as long as asked for, or until the next change; one since the last sleep ends it before it begins. */
  readonly sleep: Sleep
  /** Ends the listening. */
  stop(): void
}

/** @param concerns whether a change is worth a look. */
export function listenForChanges(client: Client, concerns: (change: Change) => boolean, sleep: Sleep): Changes {
  const stopped = new AbortController()
  let hasChanged = false
  let wake = (): void => undefined
  const onChange = (): void => {
    hasChanged = true
    wake()
  }
  void listen(client, stopped.signal, concerns, onChange)
  return {
    sleep: async (ms, signal) => {
      const awake = new AbortController()
      const change = new Promise<void>((resolve) => (wake = resolve))
      const both = AbortSignal.any([awake.signal, ...(signal === undefined ? [] : [signal])])
      try {
        if (!hasChanged) await Promise.race([change, sleep(ms, both)])
      } finally {
        awake.abort()
        hasChanged = false
      }
    },
    stop: () => stopped.abort(),
  }
}

/** Never throws: without the stream nothing is lost but time. */
async function listen(
  client: Client,
  signal: AbortSignal,
  concerns: (change: Change) => boolean,
  onChange: () => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const { event, data } of await client.call('platform.events', {}, { signal })) {
        // The stream does not repeat what happened before it began.
        if (event === 'connected' || (isChange(data) && (isOverflow(data) || concerns(data)))) onChange()
      }
    } catch (error) {
      if (!isPassing(error)) return
    }
    await pause(streamRetryMs, signal) // the status is read every few seconds all the same
  }
}

function isChange(data: unknown): data is Change {
  if (typeof data !== 'object' || data === null || !('resource' in data) || !('name' in data)) return false
  return typeof data.resource === 'string' && typeof data.name === 'string'
}

/** More happened than the stream names. */
const isOverflow = ({ resource, name }: Change): boolean => resource === 'resources' && name === ''

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
    if (signal.aborted) done()
  })
}
