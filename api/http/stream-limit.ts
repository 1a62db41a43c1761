/**
 * Limits how many streams and terminals are open at once: each holds memory of this process, a stream of logs one
 * connection to the API server for each pod that no other stream follows, and a terminal one connection.
 */
import type { Caller } from '../../contract/caller.ts'
import { openStreams, openTerminals } from '../../contract/limits.ts'
import type { OperationId } from '../../contract/operations.ts'
import { Problem } from '../../contract/problem.ts'

/** The answer of a stream, or the connection of a terminal. */
export interface Closable {
  readonly closed: boolean
  once(event: 'close', listener: () => void): unknown
}

export interface StreamLimit {
  /**
   * Counts a stream until its answer is closed. Throws Problem rate_limited when the caller has too many open, or all
   * callers together have.
   */
  admit(id: OperationId, caller: Caller, answer: Closable): void
}

const every = { ...openStreams, terminals: openTerminals } as const
type Kind = keyof typeof every

const words: Readonly<Record<Kind, string>> = {
  events: 'streams of events',
  logs: 'streams of logs',
  terminals: 'terminals',
}

const kindOf = (id: OperationId): Kind =>
  id === 'platform.events' ? 'events' : id === 'apps.console' ? 'terminals' : 'logs'

export function createStreamLimit(
  limits: Readonly<Record<Kind, { readonly perCaller: number; readonly total: number }>> = every,
): StreamLimit {
  const open: Record<Kind, Map<string, number>> = { events: new Map(), logs: new Map(), terminals: new Map() }
  const totals: Record<Kind, number> = { events: 0, logs: 0, terminals: 0 }
  const count = (kind: Kind, who: string, change: 1 | -1): void => {
    const now = (open[kind].get(who) ?? 0) + change
    totals[kind] += change
    if (now === 0) open[kind].delete(who)
    else open[kind].set(who, now)
  }
  return {
    admit(id, caller, answer) {
      const kind = kindOf(id)
      const who = caller.tokenId ?? `user ${caller.username}`
      const { perCaller, total } = limits[kind]
      if ((open[kind].get(who) ?? 0) >= perCaller)
        throw new Problem('rate_limited', `a caller may have ${perCaller} ${words[kind]} open at once`)
      if (totals[kind] >= total) throw new Problem('rate_limited', `too many ${words[kind]} are open, try again later`)
      if (answer.closed) return
      count(kind, who, 1)
      answer.once('close', () => count(kind, who, -1))
    },
  }
}
