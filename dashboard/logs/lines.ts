/** The lines of a log outside React: a bounded list that a stream appends to, and one number that says it changed. */
import { readServerEvents } from '../../client/server-events.ts'
import type { ParamsInput, View } from '../../contract/operations.ts'
import { openStream } from '../data/api.ts'
import { createFollowed, type Followed } from '../data/followed.ts'
import { defined } from '../../contract/defined.ts'

export type LogLine = View<'apps.logs'>['lines'][number]
/** The streams of log lines: of one service, or of all services of a project. */
export type LogStream = 'apps.logs-stream' | 'projects.logs-stream'

export interface ShownLine extends LogLine {
  /** Its own number, which stays when older lines are dropped. */
  readonly serial: number
  /** A note of the page itself, not of a copy. */
  readonly marker?: true
}

export type Follow = { phase: 'connecting' | 'open' | 'ended' } | { phase: 'lost'; why: string }

const keptMax = 100_000

export interface LogSnapshot {
  readonly lines: readonly ShownLine[]
  readonly follow: Follow
  readonly dropped: number
}

/** Follows while there is a listener; the last lines, as many as `tail` of the parameters says, come first. */
export const followLogs = <Id extends LogStream>(id: Id, params: ParamsInput<Id>): Followed<LogSnapshot> =>
  createFollowed((show) => {
    let lines: ShownLine[] = []
    let waiting: ShownLine[] = []
    let serial = 0
    let dropped = 0
    let follow: Follow = { phase: 'connecting' }
    const say = (next: Follow) => {
      follow = next
      show()
    }
    const add = (line: LogLine, marker?: true) => {
      serial += 1
      waiting.push({ ...line, serial, ...defined({ marker }) })
      show()
    }
    /** After a gap the stream begins with lines that are here already. */
    const newestOf = (): Map<string, string> => {
      const newest = new Map<string, string>()
      for (const { pod, container, t, marker } of [...lines, ...waiting])
        if (marker === undefined) newest.set(`${pod}/${container}`, t)
      return newest
    }
    return {
      next() {
        lines = lines.concat(waiting)
        waiting = []
        if (lines.length > keptMax) {
          dropped += lines.length - keptMax
          lines = lines.slice(-keptMax)
        }
        return { lines, follow, dropped }
      },
      lost: (why) => say({ phase: 'lost', why }),
      async readOnce(signal) {
        const body = await openStream(id, params, signal)
        const before = newestOf()
        if (before.size > 0) add(markerLine('the connection was lost; it goes on here'), true)
        say({ phase: 'open' })
        for await (const { event, data } of readServerEvents(body)) {
          if (event === 'end') {
            say({ phase: 'ended' })
            return true
          }
          const line = data as LogLine // docs/reference/logs-and-metrics.md
          if (typeof line.line !== 'string') continue
          if (line.t > (before.get(`${line.pod}/${line.container}`) ?? '')) add(line)
        }
        return false
      },
    }
  })

const markerLine = (text: string): LogLine => ({
  t: new Date().toISOString(),
  service: '',
  pod: '',
  container: '',
  line: text,
  level: '',
  previous: false,
})
