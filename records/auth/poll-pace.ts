/** How fast a program may poll for its token: each poll that comes too soon makes it wait longer. */
import {
  deviceLifetimeSeconds,
  devicePollSeconds,
  deviceSlowDownMaxSeconds,
  deviceSlowDownSeconds,
} from '../../contract/limits.ts'

interface Pace {
  polledAt: number
  intervalSeconds: number
}

/** A timer may fire a little early; such a poll is accepted. */
const leewayMs = 100

export interface PollPace {
  /** How many seconds the program has to wait when this poll came too soon; undefined otherwise. */
  tooFast(digest: string): number | undefined
}

/** @param clock milliseconds since the epoch; the paces are in memory, so a restart forgets them */
export function createPollPace(clock: () => number): PollPace {
  const paces = new Map<string, Pace>()
  return {
    tooFast(digest) {
      const now = clock()
      for (const [key, { polledAt }] of paces) {
        if (now - polledAt > deviceLifetimeSeconds * 1000) paces.delete(key)
      }
      const pace = paces.get(digest)
      if (pace === undefined) {
        paces.set(digest, { polledAt: now, intervalSeconds: devicePollSeconds })
        return undefined
      }
      const early = now - pace.polledAt < pace.intervalSeconds * 1000 - leewayMs
      pace.polledAt = now
      if (!early) return undefined
      pace.intervalSeconds = Math.min(pace.intervalSeconds + deviceSlowDownSeconds, deviceSlowDownMaxSeconds)
      return pace.intervalSeconds
    },
  }
}
