/** Work on many things that mostly waits: several at once, and one that fails stops no other. */

const atOnce = 20

/** Resolves when each had its turn. Rejects after that with the first failure, and says how many there were. */
export async function eachAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  const failures: unknown[] = []
  const takeNext = async (): Promise<void> => {
    for (const item of left) await work(item).catch((error: unknown) => failures.push(error))
  }
  await Promise.all(Array.from({ length: atOnce }, takeNext))
  if (failures.length > 0)
    throw new Error(`${failures.length} failed, the first: ${messageOf(failures[0])}`, { cause: failures[0] })
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
