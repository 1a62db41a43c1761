/**
 * Which registries do not answer: found out once, so that later deploys do not wait for them, and asked again in the
 * background.
 */

export interface Away {
  /**
   * False while the registry is believed to be away; now and then that starts a question whose answer is not waited
   * for.
   */
  worthAsking(origin: string): boolean
  /** The registry did not answer. */
  silent(origin: string): void
  answered(origin: string): void
}

/**
 * Names of registries are made up as easily as written: beyond this many, the one that has been silent for longest is
 * asked again.
 */
const silentMax = 1_000

/** `ping` resolves when the registry answers anything at all and rejects otherwise, within a bounded time. */
export function createAway(
  ping: (origin: string) => Promise<unknown>,
  { againMs, now }: { againMs: number; now: () => number },
): Away {
  const silentSince = new Map<string, number>()
  const answered = (origin: string) => void silentSince.delete(origin)
  const silent = (origin: string) => {
    silentSince.delete(origin) // so that it is the youngest of them
    silentSince.set(origin, now())
    const [oldest] = silentSince.keys()
    if (silentSince.size > silentMax && oldest !== undefined) silentSince.delete(oldest)
  }
  return {
    worthAsking(origin) {
      const since = silentSince.get(origin)
      if (since === undefined) return true
      if (now() - since >= againMs) {
        silent(origin) // so that one question is under way at a time
        ping(origin).then(
          () => answered(origin),
          () => silent(origin),
        )
      }
      return false
    },
    silent,
    answered,
  }
}
