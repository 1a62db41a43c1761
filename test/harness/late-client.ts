/** A cluster client whose watches are late, as on a busy cluster: the caches do not have a recent write yet. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClusterClient } from '../../cluster/client.ts'

/** The delay that `SVC_TEST_LATE_MS` sets for a run; 0 adds no delay. */
const lateMs = (): number => Number(process.env['SVC_TEST_LATE_MS'] ?? 0)

/** @param mostMs the maximum of the random delay of each chunk of a watch; most delays are shorter */
export function lateClient<Client extends ClusterClient>(client: Client, mostMs = lateMs()): Client {
  if (mostMs === 0) return client
  return { ...client, watch: async (type, query) => late(await client.watch(type, query), mostMs, query.signal) }
}

async function* late<T>(pieces: AsyncIterable<T>, mostMs: number, signal: AbortSignal | undefined): AsyncGenerator<T> {
  for await (const piece of pieces) {
    await sleep(Math.random() ** 2 * mostMs, undefined, signal === undefined ? {} : { signal })
    yield piece
  }
}

/** A cluster client whose watches deliver nothing while they are held: the caches stay as they are at that moment. */
export function heldClient<Client extends ClusterClient>(
  client: Client,
): { client: Client; hold: (is: boolean) => void } {
  let isHeld = false
  async function* held<T>(pieces: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
    for await (const piece of pieces) {
      while (isHeld && signal?.aborted !== true) await sleep(20)
      yield piece
    }
  }
  return {
    client: { ...client, watch: async (type, query) => held(await client.watch(type, query), query.signal) },
    hold: (is) => (isHeld = is),
  }
}
