/** A stream of server-sent events as a program reads it: the data of each event without a name, in order. */
import { eventually } from '../cluster/eventually.ts'

export interface OpenEvents<Data> {
  readonly status: number
  readonly contentType: string
  readonly seen: readonly Data[]
  /** The names of the events that have one. */
  readonly names: readonly string[]
  readonly ended: () => boolean
  close(): Promise<void>
}

/** Resolves when the response has begun. */
export async function openEvents<Data>(url: string, token: string): Promise<OpenEvents<Data>> {
  const stop = new AbortController()
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` }, signal: stop.signal })
  const seen: Data[] = []
  const names: string[] = []
  let ended = false
  // The caller of this function names the type.
  const reading = read(response, (data) => seen.push(data as Data), names).finally(() => (ended = true))
  reading.catch(() => undefined) // an abort closes the stream
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    seen,
    names,
    ended: () => ended,
    async close() {
      stop.abort()
      await eventually('the stream is closed', () => ended)
    },
  }
}

async function read(response: Response, received: (data: unknown) => void, names: string[]): Promise<void> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    const parts = text.split('\n\n')
    text = parts.pop() ?? ''
    for (const part of parts) {
      const [, name] = /^event: (.*)/.exec(part) ?? []
      if (name !== undefined) names.push(name)
      else if (part.startsWith('data: ')) received(JSON.parse(part.slice('data: '.length)))
    }
  }
}
