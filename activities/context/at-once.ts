/** Runs I/O-bound work on many items, several at once; an item that fails does not stop the others. */

const atOnce = 20

/** Resolves after all items were worked on; rejects then with the first failure and the number of failures. */
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
