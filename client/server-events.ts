/** Reads a stream of server-sent events, as the WHATWG algorithm lays it down. */
import type { ServerEvent } from '../contract/operation.ts'

/**
 * Events in order; keep-alive comments are skipped, `data` is parsed as JSON where it is JSON, else kept as text.
 * Ends when the server ends the stream; an event cut off in the middle is dropped.
 */
export async function* readServerEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  let fields: Draft = { data: [] }
  for await (const line of linesOf(body)) {
    if (line !== '') {
      addLine(fields, line)
      continue
    }
    // "If the data buffer is an empty string, return": an event without data is none.
    if (fields.data.length > 0) yield eventOf(fields)
    fields = { data: [] }
  }
}

interface Draft {
  event?: string
  id?: string
  data: string[]
}

function addLine(fields: Draft, line: string): void {
  const colon = line.indexOf(':')
  if (colon === 0) return // a comment, such as the keep-alive ping
  const name = colon === -1 ? line : line.slice(0, colon)
  const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
  if (name === 'data') fields.data.push(value)
  else if (name === 'event' || name === 'id') fields[name] = value
}

function eventOf({ event, id, data }: Draft): ServerEvent {
  const text = data.join('\n')
  return {
    ...(event === undefined ? {} : { event }),
    ...(id === undefined ? {} : { id }),
    data: parseData(text),
  }
}

function parseData(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Whole lines only; `\r\n`, `\n` and `\r` all end a line, and characters may be split over chunks. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true })
    // A `\r` at the very end may be the first half of `\r\n`: it waits for the next chunk.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    yield* lines
  }
}
