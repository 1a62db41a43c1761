/** The change stream as a browser reads it. */
import { eventually } from '../cluster/eventually.ts'

export interface OpenChanges {
  readonly text: string
  readonly changes: readonly Readonly<Record<string, string>>[]
  readonly ended: () => boolean
  readonly close: () => void
}

/** Resolves when the stream says that it is connected. */
export async function listenToChanges(
  baseUrl: string,
  headers: Record<string, string>,
  query = '',
): Promise<OpenChanges> {
  const stop = new AbortController()
  const response = await fetch(`${baseUrl}/api/v1/events${query}`, { headers, signal: stop.signal })
  const received = { text: '', ended: false }
  const decoder = new TextDecoder()
  const read = async () => {
    for await (const chunk of response.body ?? []) received.text += decoder.decode(chunk)
    received.ended = true
  }
  read().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })
  await eventually('connected', () => received.text.includes('event: connected'))
  return {
    get text() {
      return received.text
    },
    get changes() {
      const lines = received.text.split('\n\n').filter((each) => each.startsWith('event: change'))
      return lines.map((each) => JSON.parse(each.split('\ndata: ')[1] ?? '{}') as Record<string, string>)
    },
    ended: () => received.ended,
    close: () => stop.abort(),
  }
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
