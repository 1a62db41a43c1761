/** Hashes and verifies passwords: scrypt with a random salt, compared in constant time, a few at once in threads. */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { passwordHashes } from '../../contract/limits.ts'
import { createAtMost } from '../counters/at-most.ts'
import type { HashJob, HashResult } from './password-thread.ts'

/** About 50 ms and 32 MiB. Each hash has these numbers in it, so they can be raised later. */
const cost = { N: 2 ** 15, r: 8, p: 1 } as const
const keyBytes = 32
const saltBytes = 16

export interface Passwords {
  /** Whether too many hashes wait already, so that the next would be refused. */
  readonly busy: boolean
  /** `scrypt$N$r$p$salt$hash`, salt and hash in base64url. Throws Problem rate_limited when too many wait. */
  hash(password: string): Promise<string>
  /**
   * False for a wrong password, and for a hash of another format. Throws like `hash`.
   * @param ahead for a known browser: before the others that wait
   */
  verify(password: string, hash: string, ahead?: boolean): Promise<boolean>
  close(): Promise<void>
}

/** Threads are started on demand and kept. */
export function createPasswords(): Passwords {
  const line = createAtMost(passwordHashes)
  const idle: Worker[] = []
  const all = new Set<Worker>()
  const start = (): Worker => {
    const thread = new Worker(new URL('./password-thread.ts', import.meta.url))
    all.add(thread)
    thread.once('exit', () => {
      all.delete(thread)
      if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1)
    })
    return thread
  }
  const derive = (job: HashJob, ahead: boolean): Promise<Buffer> =>
    line.run(async () => {
      const thread = idle.pop() ?? start()
      return deriveIn(thread, job).finally(() => {
        if (all.has(thread)) idle.push(thread)
      })
    }, ahead)
  return {
    get busy() {
      return line.full
    },
    async hash(password) {
      const salt = randomBytes(saltBytes)
      const key = await derive({ password, salt, keyBytes, cost }, false)
      return format(salt, key)
    },
    async verify(password, hash, ahead = false) {
      const [scheme, N, r, p, salt, key] = hash.split('$')
      if (scheme !== 'scrypt' || salt === undefined || key === undefined) return false
      const wanted = Buffer.from(key, 'base64url')
      const found = await derive(
        {
          password,
          salt: Buffer.from(salt, 'base64url'),
          keyBytes,
          cost: { N: Number(N), r: Number(r), p: Number(p) },
        },
        ahead,
      )
      return wanted.length === found.length && timingSafeEqual(wanted, found)
    },
    async close() {
      idle.length = 0
      await Promise.all([...all].map((thread) => thread.terminate()))
    },
  }
}

/** A hash of no password: comparing with it takes as long as with any other. */
export const decoyHash = (): string => format(randomBytes(saltBytes), randomBytes(keyBytes))

const format = (salt: Buffer, key: Buffer): string =>
  ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join('$')

/** Rejects also when the thread ends without an answer. An idle thread does not keep the process alive. */
function deriveIn(thread: Worker, job: HashJob): Promise<Buffer> {
  const done = Promise.withResolvers<Buffer>()
  const onExit = (): void => done.reject(new Error('the thread that hashes passwords ended'))
  const onMessage = (result: HashResult): void => {
    if ('key' in result) done.resolve(Buffer.from(result.key))
    else done.reject(new Error(`a password could not be hashed: ${result.failure}`))
  }
  thread.ref()
  thread.once('error', done.reject).once('exit', onExit).once('message', onMessage)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  thread.postMessage(job)
  return done.promise.finally(() => {
    thread.off('error', done.reject).off('exit', onExit).off('message', onMessage)
    thread.unref()
  })
}
