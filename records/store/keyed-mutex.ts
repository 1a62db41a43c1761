/**
 * Runs the writes of one process to the same record one after the other: each sees the result of the one before, so
 * they do not conflict.
 */

export type KeyedMutex = <R>(name: string, work: () => Promise<R>) => Promise<R>

/** Writes of other processes are not waited for: they show as conflicts. */
export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>()
  return async (name, work) => {
    const before = last.get(name)
    const mine = before === undefined ? work() : before.then(work, work)
    last.set(name, mine)
    try {
      return await mine
    } finally {
      if (last.get(name) === mine) last.delete(name)
    }
  }
}
