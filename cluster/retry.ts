/** Read, decide, write; repeated on the newer object when another writer was first. */
import { isConflict, isLostRace, isUnreachable } from './objects/errors.ts'
import { pause } from './objects/backoff.ts'

export interface Budget {
  /** Most writes, the first one included. */
  tries: number
  /** How many of them may be writes whose answer was lost: writes are conditional, so none happens twice. */
  lostAnswers: number
  /** Whether a refusal of a write means that another writer was first. */
  isRace: (error: unknown) => boolean
}

/**
 * For a write that a caller waits for: repeating it here is cheaper than an error that makes the caller repeat the
 * request.
 */
export const perRequest: Budget = { tries: 12, lostAnswers: 2, isRace: isLostRace }
/** For an object that many requests write at the same moment, such as the one with all reservations. */
export const crowded: Budget = { ...perRequest, tries: 20 }
/**
 * For an activity: a lost answer is left to the retry policy of its workflow. A pass writes other objects, too, so a
 * missing or existing object does not mean that the record was read too early.
 */
export const perActivity: Budget = { tries: 12, lostAnswers: 0, isRace: isConflict }

/** A random pause, so that writers that lost the same race do not collide again. */
const pauseMs = 20

/**
 * Calls `read`, then `write` with its result; `write` may find that there is nothing to write. After a lost race or a
 * lost answer both are repeated, up to the budget, after a pause of at most 20 ms. `attempt` counts from 1; from 2 on,
 * `read` may return the write of an earlier attempt. Errors of `read` are thrown at once; those of `write` when they
 * are neither, or when the budget is spent.
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
