/**
 * A thread that hashes passwords: outside of libuv's pool, which compression and DNS look-ups need, and with a low
 * priority.
 */
import { scryptSync } from 'node:crypto'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'

export interface HashJob {
  readonly password: string
  readonly salt: Uint8Array
  readonly keyBytes: number
  readonly cost: { readonly N: number; readonly r: number; readonly p: number }
}

/** The derived key, or the reason of a failure; never the password. */
export type HashResult = { readonly key: Uint8Array } | { readonly failure: string }

/**
 * Where cores are short, requests of signed-in users come first. Linux applies the priority to the thread, other
 * systems to the process.
 */
const niceness = 5
if (process.platform === 'linux') setPriority(0, niceness)

parentPort?.on('message', ({ password, salt, keyBytes, cost }: HashJob) => {
  const result = resultOf(() => scryptSync(password, salt, keyBytes, { ...cost, maxmem: 256 * cost.N * cost.r }))
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of a thread has no origin
  parentPort?.postMessage(result)
})

function resultOf(hash: () => Uint8Array): HashResult {
  try {
    return { key: hash() }
  } catch (error) {
    return { failure: error instanceof Error ? error.message : 'unknown reason' }
  }
}
