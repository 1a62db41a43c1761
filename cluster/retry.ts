/** Read, decide, write: done again on what the cluster holds by then when another writer was first. */
import { isConflict, isLostRace, isUnreachable } from './objects/errors.ts'
import { pause } from './objects/backoff.ts'

export interface Budget {
  /** Most writes, the first one included. */
  tries: number
  /** Most writes among them whose answer may be lost: being conditional, none of them happens twice. */
  lostAnswers: number
  /** Which refusals of a write say that another writer was first. */
  isRace: (error: unknown) => boolean
}

/** For what a caller waits for: repeating it here is cheaper than an error that makes the caller ask again. */
export const perRequest: Budget = { tries: 12, lostAnswers: 2, isRace: isLostRace }
/** For an object that many requests write at the same moment, such as the one with all reservations. */
export const crowded: Budget = { ...perRequest, tries: 20 }
/**
 * For an activity: a lost answer is for the retry policy of its workflow. A pass makes other objects as well, so that
 * one of them is missing or there already says nothing about the record that was read.
 */
export const perActivity: Budget = { tries: 12, lostAnswers: 0, isRace: isConflict }

/** Writers that lost the same race do not meet again in step. */
const pauseMs = 20

/**
 * Reads, then writes what is decided on that reading; `write` may also find that there is nothing to write. A write
 * that lost a race, or whose answer was lost, is followed by a new reading, up to the budget, after a pause of at most
 * 20 ms. `attempt` counts from 1: from 2 on the write of an earlier attempt may be what is read. Throws what `read`
 * throws at once, and what `write` throws when it is neither, or when the budget is spent.
 */
export async function onConflict<Seen, Result>(
  budget: Budget,
  read: (attempt: number) => Promise<Seen>,
  write: (seen: Seen, attempt: number) => Promise<Result>,
): Promise<Result> {
  let lost = 0
  for (let attempt = 1; ; attempt += 1) {
    const seen = await read(attempt)
    try {
      return await write(seen, attempt)
    } catch (error) {
      const isLost = isUnreachable(error)
      if (isLost) lost += 1
      const repeats = isLost ? lost <= budget.lostAnswers : budget.isRace(error)
      if (!repeats || attempt === budget.tries) throw error
    }
    await pause(Math.random() * pauseMs)
  }
}
