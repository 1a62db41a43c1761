/** How many copies a service that sleeps when idle should have, from what its interceptor counts: one rule, as data. */

/** What the interceptor knows of one service (its admin API, `GET /queue`). */
export interface Requests {
  /** Held or being answered right now. */
  Concurrency: number
  /** Since the interceptor started. */
  RequestCount: number
}

export interface Bounds {
  least: number
  most: number
  /** Seconds without a request after which only `least` stay. */
  idleSeconds: number
  requestsPerCopy: number
}

/** What was seen of a service before. */
export interface Seen {
  requests: Requests
  /** When it had a request last, or was seen first; milliseconds of any clock that only goes forward. */
  busyAt: number
}

/** What is known now. Before there is anything of it a service counts as busy: nothing sleeps sooner than it may. */
export function seenNow(before: Seen | undefined, requests: Requests, now: number): Seen {
  const isBusy =
    before === undefined || requests.Concurrency > 0 || requests.RequestCount !== before.requests.RequestCount
  return { requests, busyAt: isBusy ? now : before.busyAt }
}

/** It grows with the requests at once, and shrinks only to `least`, when none came for a while. */
export function copiesWanted(
  copies: number,
  { least, most, idleSeconds, requestsPerCopy }: Bounds,
  { requests, busyAt }: Seen,
  now: number,
): number {
  if (requests.Concurrency > 0) {
    const needed = Math.max(1, least, Math.ceil(requests.Concurrency / requestsPerCopy))
    return Math.min(Math.max(copies, needed), Math.max(least, most))
  }
  if (now - busyAt >= idleSeconds * 1000) return least
  return Math.min(Math.max(copies, least), Math.max(least, most))
}
