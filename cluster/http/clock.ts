/**
 * The time of the cluster, from the Date header of its answers: creation times of objects are in it, and processes on
 * several machines agree on it.
 */
import type { Logger } from '../objects/log.ts'

export interface ClusterClock {
  /** Milliseconds since 1970, right to about a second. */
  now(): number
  /** By how many milliseconds the clock of this machine is ahead of the cluster's. */
  readonly aheadMs: number
  /**
   * Takes the Date header of an answer, and when the request was sent and the answer came, by the clock of this
   * machine.
   */
  saw(date: unknown, askedAt: number, cameAt: number): void
}

/** The header has whole seconds, rounded down. */
const tickMs = 999
/** A difference that no network delay explains. */
const muchMs = 5_000

/**
 * @param own the clock of this machine, milliseconds
 * @param onSkew called when the clock of this machine comes to be far ahead (above 0) or behind, and with 0 when the
 * clocks agree again
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
      // The API server read its clock between request and answer, so the offset is within these bounds; the known
      // offset changes no more than they require.
      offset = Math.min(at + tickMs - askedAt, Math.max(at - cameAt, offset))
      if (Math.abs(offset) >= muchMs === isFar) return
      isFar = !isFar
      onSkew(isFar ? -offset : 0)
    },
  }
}

/** Logs a skew once when the clocks come to differ, and once when they agree again. */
export function logSkew(log: Logger, aheadMs: number): void {
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  if (aheadMs === 0) log.info({}, "the clock of this machine agrees with the cluster's again")
  else
    log.warn(
      { aheadMs: Math.round(aheadMs) },
      `the clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the cluster's, which svc goes by: synchronise them`,
    )
}
