/**
 * How many streams are open at once: each holds memory here, and one of logs a connection to the cluster for each pod
 * that nobody follows yet.
 */
import type { ServerResponse } from 'node:http'
import type { Caller } from '../../contract/caller.ts'
import { openStreams } from '../../contract/limits.ts'
import type { OperationId } from '../../contract/operations.ts'
import { Problem } from '../../contract/problem.ts'

export interface StreamLimit {
  /**
   * Counts a stream until its answer is closed. Throws Problem rate_limited when the caller, or all together, have too
   * many open.
   */
  admit(id: OperationId, caller: Caller, answer: ServerResponse): void
}

type Kind = keyof typeof openStreams

export function createStreamLimit(
  limits: Readonly<Record<Kind, { readonly perCaller: number; readonly total: number }>> = openStreams,
): StreamLimit {
  const open: Record<Kind, Map<string, number>> = { events: new Map(), logs: new Map() }
  const totals: Record<Kind, number> = { events: 0, logs: 0 }
  const count = (kind: Kind, who: string, change: 1 | -1): void => {
    const now = (open[kind].get(who) ?? 0) + change
    totals[kind] += change
    if (now === 0) open[kind].delete(who)
    else open[kind].set(who, now)
  }
  return {
    admit(id, caller, answer) {
      const kind = id === 'platform.events' ? 'events' : 'logs'
      const who = caller.tokenId ?? `user ${caller.username}`
      const { perCaller, total } = limits[kind]
      if ((open[kind].get(who) ?? 0) >= perCaller)
        throw new Problem('rate_limited', `a caller may have ${perCaller} streams of ${kind} open at once`)
      if (totals[kind] >= total)
        throw new Problem('rate_limited', `too many streams of ${kind} are open, try again later`)
      if (answer.closed) return
      count(kind, who, 1)
      answer.once('close', () => count(kind, who, -1))
    },
  }
}
