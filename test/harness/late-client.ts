/**
 * A cluster client whose watches tell late, as a busy cluster's do: what was written a moment ago is not in memory yet.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClusterClient } from '../../cluster/client.ts'

/** What the tests of a run are told by `SVC_TEST_LATE_MS`; 0 is as late as the cluster is by itself. */
const lateMs = (): number => Number(process.env['SVC_TEST_LATE_MS'] ?? 0)

/** @param mostMs each piece of a watch is held back at random by so many milliseconds at most, and mostly by less */
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
