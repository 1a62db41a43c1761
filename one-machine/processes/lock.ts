/** A lock held by one process on this machine: a file naming its owner, taken over when the owner is gone. */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify, isRunning, type ProcessIdentity } from './identity.ts'

const recheckMs = 250
const reportEveryMs = 5_000

export interface Lock {
  release(): void
}

/** Thrown by `takeLock` when another running process holds the lock. */
export class LockHeld extends Error {
  readonly owner: number
  constructor(path: string, owner: number) {
    super(`${path} is held by process ${owner}`)
    this.owner = owner
  }
}

function readOwner(path: string): ProcessIdentity | undefined {
  try {
    const { pid, began } = JSON.parse(readFileSync(path, 'utf8')) as Partial<ProcessIdentity>
    return typeof pid === 'number' && typeof began === 'string' ? { pid, began } : undefined
  } catch {
    return undefined
  }
}

/** Links a finished file into place, so that a reader never sees a lock without its owner. */
function tryCreate(path: string, me: ProcessIdentity): boolean {
  const draft = `${path}.${me.pid}`
  writeFileSync(draft, JSON.stringify(me))
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Of several processes that find the same stale lock only one wins the rename. */
function removeStale(path: string, me: ProcessIdentity): void {
  const aside = `${path}.stale.${me.pid}`
  try {
    renameSync(path, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  const moved = readOwner(aside)
  if (moved !== undefined && isRunning(moved)) tryRestore(aside, path)
  rmSync(aside, { force: true })
}

function tryRestore(aside: string, path: string): void {
  try {
    linkSync(aside, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Takes the lock or throws LockHeld. The folder of `path` is made when missing. */
export function takeLock(path: string): Lock {
  const me = identify(process.pid)
  if (me === undefined) throw new Error('this process cannot find itself')
  mkdirSync(dirname(path), { recursive: true })
  for (;;) {
    if (tryCreate(path, me)) return { release: () => rmSync(path, { force: true }) }
    const owner = readOwner(path)
    if (owner !== undefined && isRunning(owner)) throw new LockHeld(path, owner.pid)
    removeStale(path, me)
  }
}

/**
 * Waits for the lock; `onWait` gets its holder, at once and every 5 s. Undefined once it is not needed any more.
 */
export async function waitForLock(
  path: string,
  onWait: (owner: number) => void,
  isNeeded = (): boolean => true,
): Promise<Lock | undefined> {
  let reportedAt = -Infinity
  for (;;) {
    try {
      return takeLock(path)
    } catch (error) {
      if (!(error instanceof LockHeld)) throw error
      if (!isNeeded()) return undefined
      if (performance.now() - reportedAt >= reportEveryMs) {
        onWait(error.owner)
        reportedAt = performance.now()
      }
      await sleep(recheckMs)
    }
  }
}
