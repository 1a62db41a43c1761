/** Reads a stream of server-sent events. */
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import type { ServerEvent } from '../contract/operation.ts'
import { defined } from '../contract/defined.ts'

/**
 * Events in order; keep-alive comments are skipped, `data` is parsed as JSON where it is JSON, else kept as text.
 * Ends when the server ends the stream; an event cut off in the middle is dropped.
 */
export async function* readServerEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const read: ServerEvent[] = []
  const parser = createParser({ onEvent: (message) => read.push(eventOf(message)) })
  const decoder = new TextDecoder() // characters may be split over chunks
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* read.splice(0)
  }
}

function eventOf({ event, id, data }: EventSourceMessage): ServerEvent {
  return {
    ...defined({ event, id }),
    data: parseData(data),
  }
}

function parseData(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
