/** The lines of a log outside React: a bounded list that a stream appends to, and one number that says it changed. */
import { createParser } from 'eventsource-parser'
import type { View } from '../../contract/operations.ts'
import { openStream, sentenceOf, statusOf } from '../data/api.ts'

type LogLine = View<'apps.logs'>['lines'][number]

export interface ShownLine extends LogLine {
  /** Its own number, which stays when older lines are dropped. */
  readonly serial: number
  /** A note of the page itself, not of a copy. */
  readonly marker?: true
}

export type Follow = { phase: 'connecting' | 'open' } | { phase: 'lost'; why: string }

const keptMax = 100_000
const flushMs = 80
const backoffMs = [500, 1000, 2000, 5000, 10_000]
const tail = 1000

export interface LogSource {
  subscribe(listener: () => void): () => void
  /** Another object after each change. */
  snapshot(): LogSnapshot
}

export interface LogSnapshot {
  readonly lines: readonly ShownLine[]
  readonly follow: Follow
  readonly dropped: number
}

/** Follows while there is a listener; the last lines come first. */
export function followLogs(app: string): LogSource {
  let lines: ShownLine[] = []
  let waiting: ShownLine[] = []
  let serial = 0
  let dropped = 0
  let follow: Follow = { phase: 'connecting' }
  let shown: LogSnapshot = { lines, follow, dropped }
  let timer: ReturnType<typeof setTimeout> | undefined
  const listeners = new Set<() => void>()
  let end: AbortController | undefined

  const flush = () => {
    timer = undefined
    lines = lines.concat(waiting)
    waiting = []
    if (lines.length > keptMax) {
      dropped += lines.length - keptMax
      lines = lines.slice(-keptMax)
    }
    shown = { lines, follow, dropped }
    for (const listener of listeners) listener()
  }
  const soon = () => void (timer ??= setTimeout(flush, flushMs))
  const say = (next: Follow) => {
    follow = next
    soon()
  }
  const add = (line: LogLine, marker?: true) => {
    serial += 1
    waiting.push({ ...line, serial, ...(marker === undefined ? {} : { marker }) })
    soon()
  }
  /** After a gap the stream begins with lines that are here already. */
  const newestOf = (): Map<string, string> => {
    const newest = new Map<string, string>()
    for (const { pod, container, t, marker } of [...lines, ...waiting])
      if (marker === undefined) newest.set(`${pod}/${container}`, t)
    return newest
  }
  const readOnce = async (signal: AbortSignal): Promise<void> => {
    const body = await openStream('apps.logs-stream', { app, tail }, signal)
    const before = newestOf()
    if (before.size > 0) add(markerLine('the connection was lost; it goes on here'), true)
    say({ phase: 'open' })
    const parser = createParser({
      onEvent({ data }) {
        const line = JSON.parse(data) as LogLine // docs/reference/logs-and-metrics.md
        if (typeof line.line !== 'string') return
        if (line.t > (before.get(`${line.pod}/${line.container}`) ?? '')) add(line)
      },
    })
    const decoder = new TextDecoder()
    for await (const chunk of body) parser.feed(decoder.decode(chunk, { stream: true }))
  }
  return {
    snapshot: () => shown,
    subscribe(listener) {
      listeners.add(listener)
      if (end === undefined) {
        end = new AbortController()
        void keepReading(readOnce, say, end.signal)
      }
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearTimeout(timer)
        timer = undefined
        end?.abort()
        end = undefined
      }
    },
  }
}

/** Again and again, until the signal; what the api refuses for good is not asked again. */
async function keepReading(
  readOnce: (signal: AbortSignal) => Promise<void>,
  say: (follow: Follow) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let tries = 0; !signal.aborted; tries += 1) {
    try {
      await readOnce(signal)
      say({ phase: 'lost', why: 'the stream ended' })
    } catch (error) {
      if (signal.aborted) return
      say({ phase: 'lost', why: sentenceOf(error) })
      if ([401, 403, 404].includes(statusOf(error) ?? 0)) return
    }
    await new Promise((resolve) => setTimeout(resolve, backoffMs[Math.min(tries, backoffMs.length - 1)]))
  }
}

const markerLine = (text: string): LogLine => ({
  t: new Date().toISOString(),
  service: '',
  pod: '',
  container: '',
  line: text,
  level: '',
  previous: false,
})
