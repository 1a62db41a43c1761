/** Reads the newest stored lines that pass a filter, page by page, within one time limit. */
import { levelOf, passes, shownLine } from '../../kinds/logs/log-line.ts'
import { timeOfNanoseconds } from '../../kinds/logs/log-time.ts'
import { LogStoreFailed, type LogStore, type StoredLine } from './log-store.ts'
import { serviceOfPod, type HistoryFilter } from './logql.ts'

export interface HistoryQuery extends HistoryFilter {
  readonly limit: number
  /** Milliseconds since 1970. */
  readonly now: number
  readonly sinceSeconds: number
}

export interface History {
  /** Oldest first. */
  readonly lines: { t: string; service: string; pod: string; container: string; line: string; level: string }[]
  /** There may be older ones. */
  readonly truncated: boolean
}

/** The time limit for the store (docs/reference/logs-and-metrics.md#log-history). */
const timeLimitMs = 5000
/** The minimum size of a page: with small pages a filter that the store applies only roughly takes too many queries. */
const pageMin = 500

/**
 * Throws LogStoreFailed, or the reason of the signal when the caller is gone. At the time limit it returns the lines
 * found so far.
 */
export async function readHistory(store: LogStore, query: HistoryQuery, signal: AbortSignal): Promise<History> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeLimitMs)])
  const { limit, level = '' } = query
  const size = level === '' ? limit + 1 : Math.max(limit + 1, pageMin)
  const from = BigInt(query.now - query.sinceSeconds * 1000) * 1_000_000n
  let to = BigInt(query.now) * 1_000_000n
  const found: StoredLine[] = []
  let atEdge = new Set<string>()
  let ended = false
  let read = 0
  try {
    while (!ended && found.length <= limit) {
      const page = await store.read({ ...query, from, to, limit: size }, limited)
      read += 1
      const fresh = page.filter((line) => !atEdge.has(lineKey(line)))
      found.push(...fresh.filter(({ line }) => passes(line, query)))
      const oldest = page.at(-1)?.at ?? from
      ended = page.length < size
      if (fresh.length === 0) break // a whole page of one instant: a query cannot address the lines after it
      // Lines of the same instant may be on both sides of a page boundary.
      atEdge = new Set(page.filter(({ at }) => at === oldest).map(lineKey))
      to = oldest + 1n
    }
  } catch (error) {
    if (signal.aborted || !limited.aborted) throw error
    if (read === 0)
      throw new LogStoreFailed(`the log store did not answer within ${timeLimitMs / 1000} seconds`, { cause: error })
  }
  return { lines: found.slice(0, limit).map(shown).reverse(), truncated: !ended || found.length > limit }
}

const lineKey = ({ at, pod, line }: StoredLine): string => `${at} ${pod} ${line}`

function shown({ at, pod, container, line }: StoredLine) {
  return {
    t: timeOfNanoseconds(at),
    service: serviceOfPod(pod) ?? '',
    pod,
    container,
    line: shownLine(line),
    level: levelOf(line),
  }
}
