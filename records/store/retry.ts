/**
 * Read, decide, write; repeated on the newer object when another writer was first: for one write, and for a whole pass
 * over a record.
 */
import { pause } from '../../cluster/objects/backoff.ts'
import { isConflict, isLostRace, isUnreachable } from '../../cluster/objects/errors.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'

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

/** The records of one kind, as a `RecordStore` has them. */
interface Records<T> {
  cache: { get: (name: string, namespace: string) => T | undefined }
  readLive: (name: string) => Promise<T | undefined>
}

/**
 * Reads the record live and runs the pass; a conflict anywhere in the pass starts it over, so every decision is made on
 * the version of the record that its write replaces. If the cached object has the same version the pass gets that one,
 * since views memoized for it hold. `gone` is the result for a missing record and for another one of the same name.
 */
export async function onFreshRecord<T extends KubeObject, R>(
  store: Records<T>,
  name: string,
  uid: string,
  pass: (record: T) => Promise<R>,
  gone: (other: T | undefined) => R,
): Promise<R> {
  return onConflict(
    perActivity,
    async () => sameOr(store.cache.get(name, systemNamespace), await store.readLive(name)),
    async (record) => (record === undefined || record.metadata.uid !== uid ? gone(record) : pass(record)),
  )
}

/**
 * The same, begun on the cached record, which spares a read: a pass whose first write has the record's version as its
 * condition ends in a conflict if the record was stale. A pass without such a write resolves with undefined for a
 * cached record, since a stale record must decide nothing; the pass is then run again on the live record.
 */
export async function onKnownRecord<T extends KubeObject, R extends object>(
  store: Records<T>,
  name: string,
  uid: string | undefined,
  pass: (record: T, isLive: boolean) => Promise<R | undefined>,
  gone: (other: T | undefined) => R,
): Promise<R> {
  const isAsked = (record: T | undefined): record is T =>
    record !== undefined && (uid === undefined || record.metadata.uid === uid)
  const onLive = async (live: T | undefined): Promise<R> => {
    if (!isAsked(live)) return gone(live)
    const decided = await pass(live, true)
    if (decided === undefined) throw new Error(`a pass over ${name} came to nothing`)
    return decided
  }
  return onConflict(
    perActivity,
    async (attempt) => {
      const cached = attempt === 1 ? store.cache.get(name, systemNamespace) : undefined
      return { cached, live: cached === undefined ? await store.readLive(name) : undefined }
    },
    async ({ cached, live }) => {
      if (cached === undefined) return onLive(live)
      const decided = isAsked(cached) ? await pass(cached, false) : undefined
      return decided ?? onLive(sameOr(cached, await store.readLive(name)))
    },
  )
}

/** The cached object if it has the version of the live one, since views memoized for it hold; else the live one. */
const sameOr = <T extends KubeObject>(cached: T | undefined, live: T | undefined): T | undefined =>
  live?.metadata.uid === cached?.metadata.uid && live?.metadata.resourceVersion === cached?.metadata.resourceVersion
    ? cached
    : live
