/** A value that costs a question to a slow neighbour: remembered for a while, asked for by one reader at a time. */
import type { Needs } from '../context/needs.ts'

const keptMs = 15_000
/** Only while nothing is remembered does a reader wait, and no longer than this. */
const patienceMs = 1_000

/** Undefined while the neighbour has no answer; a failure is remembered like an answer. */
export function lately<Value>(read: () => Promise<Value | undefined>, { clock, log }: Pick<Needs, 'clock' | 'log'>): () => Promise<Value | undefined> {
  let value: Value | undefined
  let readAt: number | undefined
  let reading: Promise<void> | undefined
  const refresh = async (): Promise<void> => {
    value = await read().catch((error: unknown) => {
      log.debug({ error: String(error) }, 'nothing remembered of a slow neighbour')
      return undefined
    })
    readAt = clock()
    reading = undefined
  }
  return async () => {
    if (readAt === undefined || clock() - readAt > keptMs) reading ??= refresh()
    if (readAt === undefined && reading !== undefined) await within(reading, patienceMs)
    return value
  }
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, ms)
  await Promise.race([work, late.promise])
  clearTimeout(timer)
}
