/** What the worker gets of each of its watches. */

export interface Watch {
  /**
   * Compares every record with what was made for it, from memory, as at the start, and wakes again for what still lacks: the run
   * that was woken for it may have been ended by hand before it had mended it.
   */
  compare(): void
  stop(): void
}

/** Compares once and goes on with what the stops end. */
export function startWatch(compare: () => void, stops: readonly (() => void)[]): Watch {
  compare()
  return {
    compare,
    stop() {
      for (const stop of stops) stop()
    },
  }
}
