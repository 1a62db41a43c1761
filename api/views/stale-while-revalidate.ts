/**
 * A value from a slow upstream: cached for a while, refreshed by one reader at a time, the stale value being served
 * meanwhile.
 */
import type { Needs } from '../context/needs.ts'

const keptMs = 15_000
/** A reader waits only while no value is cached, and no longer than this. */
const waitMaxMs = 1_000

/** Undefined while the upstream has no answer; a failure is cached like an answer. */
export function staleWhileRevalidate<Value>(
  read: () => Promise<Value | undefined>,
  { clock, log }: Pick<Needs, 'clock' | 'log'>,
): () => Promise<Value | undefined> {
  let value: Value | undefined
  let readAt: number | undefined
  let reading: Promise<void> | undefined
  const refresh = async (): Promise<void> => {
    value = await read().catch((error: unknown) => {
      log.debug({ error: String(error) }, 'a cached value could not be refreshed')
      return undefined
    })
    readAt = clock()
    reading = undefined
  }
  return async () => {
    if (readAt === undefined || clock() - readAt > keptMs) reading ??= refresh()
    if (readAt === undefined && reading !== undefined) await within(reading, waitMaxMs)
    return value
  }
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, ms)
  await Promise.race([work, late.promise])
  clearTimeout(timer)
}
