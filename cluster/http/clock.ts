/**
 * What time it is for the cluster, from the Date of its answers: creation times are its own, and processes on several
 * machines agree on it.
 */
import type { Logger } from '../objects/log.ts'

export interface ClusterClock {
  /** Milliseconds since 1970, right to about a second. */
  now(): number
  /** By how many milliseconds the clock of this machine is ahead. */
  readonly aheadMs: number
  /** An answer: its header, and when it was asked for and came by the clock of this machine. */
  saw(date: unknown, askedAt: number, cameAt: number): void
}

/** The header has whole seconds, cut off. */
const tickMs = 999
/** Further away than any network takes. */
const muchMs = 5_000

/**
 * @param own the clock of this machine, milliseconds
 * @param onSkew called when this machine comes to be far ahead (above 0) or behind, and when the two are together again
 * (0)
 */
export function createClusterClock(
  own: () => number,
  onSkew: (aheadMs: number) => void = () => undefined,
): ClusterClock {
  let offset = 0
  let isFar = false
  return {
    now: () => own() + offset,
    get aheadMs() {
      return -offset
    },
    saw(date, askedAt, cameAt) {
      const at = typeof date === 'string' ? Date.parse(date) : Number.NaN
      if (Number.isNaN(at) || cameAt < askedAt) return
      // The date was read between request and answer, so the true time is within these; what is known already stays as
      // far as it can.
      offset = Math.min(at + tickMs - askedAt, Math.max(at - cameAt, offset))
      if (Math.abs(offset) >= muchMs === isFar) return
      isFar = !isFar
      onSkew(isFar ? -offset : 0)
    },
  }
}

/** For the log: once when the clocks come apart, and once when they are together again. */
export function logSkew(log: Logger, aheadMs: number): void {
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  if (aheadMs === 0) log.info({}, "the clock of this machine agrees with the cluster's again")
  else
    log.warn(
      { aheadMs: Math.round(aheadMs) },
      `the clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the cluster's, which svc goes by: synchronise them`,
    )
}
