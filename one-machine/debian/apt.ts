/** The lists of Debian's package manager, which other processes of this machine use as well. */
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const lockWithinMs = 120_000
const recheckMs = 1_000

/**
 * Runs work that needs packages; if it fails, once more with updated lists: a fresh machine has none, and stale ones
 * name files that are gone.
 */
export async function withLists<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch {
    await updateLists()
    return await work()
  }
}

/** Waits while another process holds apt's lock; `apt-get update` itself does not wait. */
async function updateLists(): Promise<void> {
  for (const deadline = Date.now() + lockWithinMs; ; await sleep(recheckMs)) {
    try {
      await run('apt-get', ['-q', 'update'], { env: { ...process.env, LC_ALL: 'C' } })
      return
    } catch (error) {
      const { stderr = '' } = error as { stderr?: string } // the rejection of execFile
      if (!stderr.includes('Could not get lock') || Date.now() > deadline) throw error
    }
  }
}
