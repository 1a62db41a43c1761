/**
 * The cache of servers on this machine: every file in it is complete, because only finished files are renamed into it.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Server } from './server.ts'

const versionWithinMs = 10_000

/** `${XDG_CACHE_HOME:-~/.cache}/svc`. */
export function locateCache(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'svc')
}

/** `<cache>/servers/<name>/<version>/<name>`. */
export function locateServer(cacheDir: string, name: string, version: string): string {
  return join(cacheDir, 'servers', name, version, name)
}

/** Whether the program runs and prints one of the versions; any other program on a PATH is not svc's. */
export function saysVersion(
  executable: string,
  server: Server,
  versions: readonly string[] = [server.version],
): boolean {
  try {
    const said = execFileSync(executable, [...server.versionArguments], {
      encoding: 'utf8',
      timeout: versionWithinMs,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return versions.some((version) =>
      new RegExp(`(^|[^0-9.])${version.replaceAll('.', '\\.')}($|[^0-9.])`, 'm').test(said),
    )
  } catch {
    return false
  }
}

/** The size recorded beside each executable detects a file that a full disk or a bad copy truncated. */
const noteOf = (executable: string): string => `${executable}.size`

export type Cached = 'whole' | 'broken' | 'absent'

/** Checks the cached executable; one without a recorded size is run once for its version, and its size is recorded. */
export function judgeCached(executable: string, server: Server): Cached {
  if (!existsSync(executable)) return 'absent'
  const size = String(statSync(executable).size)
  if (existsSync(noteOf(executable))) return readFileSync(noteOf(executable), 'utf8') === size ? 'whole' : 'broken'
  if (!saysVersion(executable, server)) return 'broken'
  writeFileSync(noteOf(executable), size)
  return 'whole'
}

/** Moves a finished file into the cache. The recorded size goes first: without its file it counts as absent. */
export function keepInCache(finished: string, executable: string): void {
  mkdirSync(dirname(executable), { recursive: true })
  rmSync(executable, { force: true })
  chmodSync(finished, 0o755)
  writeFileSync(noteOf(executable), String(statSync(finished).size))
  renameSync(finished, executable)
}
