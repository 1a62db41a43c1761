/** Records which registries do not answer, so that later deploys do not wait for them; pings them in the background. */

export interface Away {
  /** False while the registry counts as away; occasionally the call starts a ping in the background. */
  worthAsking(origin: string): boolean
  /** The registry did not answer. */
  silent(origin: string): void
  answered(origin: string): void
}

/**
 * Callers can name any number of registries: beyond this many, the oldest entry is dropped.
 */
const silentMax = 1_000

/** `ping` resolves for any answer of the registry and rejects otherwise, within a bounded time. */
export function createAway(
  ping: (origin: string) => Promise<unknown>,
  { againMs, now }: { againMs: number; now: () => number },
): Away {
  const silentSince = new Map<string, number>()
  const answered = (origin: string) => void silentSince.delete(origin)
  const silent = (origin: string) => {
    silentSince.delete(origin) // makes the entry the youngest
    silentSince.set(origin, now())
    const [oldest] = silentSince.keys()
    if (silentSince.size > silentMax && oldest !== undefined) silentSince.delete(oldest)
  }
  return {
    worthAsking(origin) {
      const since = silentSince.get(origin)
      if (since === undefined) return true
      if (now() - since >= againMs) {
        silent(origin) // at most one ping at a time
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
