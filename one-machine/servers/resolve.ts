/** Finds the executable of a server, in this order: environment, PATH, cache, official download, build from source. */
import { mkdirSync, rmSync } from 'node:fs'
import { arch } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LockHeld, takeLock, waitForLock } from '../processes/lock.ts'
import { buildServer, forgetBuildCache, removeUnfinished, type BuildPlace } from './build.ts'
import { judgeCached, keepInCache, locateCache, locateServer } from './cache.ts'
import { catalogue as ownCatalogue, type ServerName } from './catalogue.ts'
import type { Server } from './server.ts'
import { DownloadFailed, downloadServer, isOffered, whyNotDownloaded } from './download.ts'
import { findInEnvironment, findOnPath } from './find.ts'

const reportEveryMs = 5_000
/** The number of cores behind the times in the catalogue. */
const measuredOnCores = 2
const goArch: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

export interface ResolveOptions {
  /** Receives one line per step; a caller that shows them may overwrite the last one. */
  readonly progress: (line: string) => void
  /** Keeps compiled packages for later builds; `forgetBuilds` removes them in the end. */
  readonly keepBuilds?: boolean
  /** False refuses what can be neither found nor downloaded. */
  readonly mayBuild?: boolean
  /** The remaining options are for tests. */
  readonly catalogue?: Readonly<Record<string, Server>>
  readonly env?: NodeJS.ProcessEnv
  readonly cacheDir?: string
  readonly modulesDir?: string
}

interface Run extends BuildPlace {
  readonly progress: (line: string) => void
  readonly catalogue: Readonly<Record<string, Server>>
  readonly keepBuilds: boolean
  readonly mayBuild: boolean
  /** Set by the first download that fails, so that not every server waits for a closed network. */
  networkClosed: boolean
}

function createRun(options: ResolveOptions): Run {
  const env = options.env ?? process.env
  return {
    env,
    progress: options.progress,
    catalogue: options.catalogue ?? ownCatalogue,
    cacheDir: options.cacheDir ?? locateCache(env),
    modulesDir: options.modulesDir ?? fileURLToPath(new URL('modules', import.meta.url)),
    keepBuilds: options.keepBuilds ?? false,
    mayBuild: options.mayBuild ?? true,
    networkClosed: false,
  }
}

function get(name: string, run: Run): Server {
  const server = run.catalogue[name]
  if (server === undefined) throw new Error(`there is no server named ${name}`)
  return server
}

/** An executable that is already on this machine. */
function findServer(name: string, run: Run): string | undefined {
  const server = get(name, run)
  const brought = findInEnvironment(name, run.env) ?? findOnPath(name, server, run.env)
  if (brought !== undefined) return brought
  const cached = locateServer(run.cacheDir, name, server.version)
  const state = judgeCached(cached, server)
  if (state === 'broken') run.progress(`${name} in the cache is not whole, it is made anew`)
  return state === 'whole' ? cached : undefined
}

const downloadOf = (name: string, run: Run) => get(name, run).download?.(process.platform, goArch[arch()] ?? arch())

async function tryDownload(name: string, target: string, run: Run): Promise<boolean> {
  const download = downloadOf(name, run)
  if (download === undefined || run.networkClosed) return false
  const refusal = whyNotDownloaded(download, run.env)
  if (refusal !== undefined) {
    run.progress(`${name} is built from source: ${refusal}`)
    return false
  }
  try {
    await reportWhile(
      (spent) => run.progress(`downloading ${name}${spent < 1 ? '' : `, ${inMinutes(spent)} so far`}`),
      () => downloadServer(download, target),
    )
    return true
  } catch (error) {
    if (!(error instanceof DownloadFailed)) throw error
    // The cause is the network's own error; without one the publisher answered, and other publishers may answer better.
    run.networkClosed = error.cause !== undefined
    return false
  }
}

function inMinutes(seconds: number): string {
  return seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`
}

/** Reports at once and every 5 s how many seconds the work has taken so far. */
async function reportWhile(report: (spent: number) => void, work: () => Promise<void>): Promise<void> {
  const began = Date.now()
  report(0)
  const timer = setInterval(() => report((Date.now() - began) / 1000), reportEveryMs)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
}

/** Reports which server is being built, the time so far, and the estimate for all missing servers. */
async function buildAndReport(name: string, target: string, later: readonly string[], run: Run): Promise<void> {
  const server = get(name, run)
  const rest = later.reduce((sum, other) => sum + get(other, run).buildSeconds, 0)
  const report = (spent: number): void => {
    const own = server.buildSeconds - spent
    const left = own > 0 ? `about ${inMinutes(own + rest)} left` : 'longer than usual'
    const all = later.length === 0 ? '' : ` for this and ${later.length} more`
    run.progress(`building ${name} ${server.version} from source, ${inMinutes(spent)} so far, ${left}${all}`)
  }
  await reportWhile(report, () => buildServer(name, server, run, target))
}

/** Makes one server that is not on this machine; another process may have made it during the wait for the lock. */
async function makeServer(name: string, later: readonly string[], run: Run): Promise<string> {
  const meanwhile = findServer(name, run)
  if (meanwhile !== undefined) return meanwhile
  const executable = locateServer(run.cacheDir, name, get(name, run).version)
  const draft = `${executable}.new`
  mkdirSync(dirname(executable), { recursive: true })
  rmSync(draft, { force: true })
  if (!(await tryDownload(name, draft, run))) {
    if (!run.mayBuild) throw new Error(`${name} is neither on this machine nor to be downloaded`)
    await buildAndReport(name, draft, later, run)
  }
  keepInCache(draft, executable)
  return executable
}

const makingLock = (cacheDir: string): string => `${cacheDir}/servers/making.lock`

/**
 * One process at a time makes servers on this machine: concurrent compilation only takes longer, and the build cache is
 * shared. A process that waits for it goes on as soon as the missing servers exist.
 */
async function makeMissing(names: readonly string[], run: Run): Promise<[string, string][]> {
  const cached = (name: string): string => locateServer(run.cacheDir, name, get(name, run).version)
  const lock = await waitForLock(
    makingLock(run.cacheDir),
    (owner) => run.progress(`process ${owner} is making servers for the same cache; waiting for it`),
    () => names.some((name) => judgeCached(cached(name), get(name, run)) !== 'whole'),
  )
  if (lock === undefined) return names.map((name) => [name, cached(name)])
  try {
    removeUnfinished(run.cacheDir)
    const made: [string, string][] = []
    for (const [index, name] of names.entries()) made.push([name, await makeServer(name, names.slice(index + 1), run)])
    if (!run.keepBuilds) forgetBuildCache(run.cacheDir)
    return made
  } finally {
    lock.release()
  }
}

/**
 * Absolute paths of the executables, by name. Missing ones are downloaded (checksum verified) or built, which takes
 * minutes; request all of them in one call, since the compiled modules are deleted afterwards. Rejects with one
 * sentence that names what is missing: Go, space, a network.
 */
export async function resolveServers<Name extends ServerName>(
  names: readonly Name[],
  options: ResolveOptions,
): Promise<Record<Name, string>> {
  const run = createRun(options)
  const found = new Map<string, string>()
  for (const name of names) {
    const executable = findServer(name, run)
    if (executable !== undefined) found.set(name, executable)
  }
  const missing = names.filter((name) => !found.has(name))
  if (missing.length > 0) for (const [name, executable] of await makeMissing(missing, run)) found.set(name, executable)
  return Object.fromEntries(found) as Record<Name, string> // every name was either found or made
}

/** Whether a server is on this machine, or its publisher offers a file that may be taken. Takes up to 2 s. */
export async function comesWithoutBuild(
  name: ServerName,
  options: Omit<ResolveOptions, 'progress'> = {},
): Promise<boolean> {
  const run = createRun({ ...options, progress: () => undefined })
  if (findServer(name, run) !== undefined) return true
  const download = downloadOf(name, run)
  return download !== undefined && whyNotDownloaded(download, run.env) === undefined && (await isOffered(download))
}

/** The servers that are not on this machine, and the estimated seconds for building all of them from source here. */
export function findMissing(
  names: readonly ServerName[],
  cores: number,
  options: Omit<ResolveOptions, 'progress'> = {},
): { names: string[]; seconds: number } {
  const run = createRun({ ...options, progress: () => undefined })
  const missing = names.filter((name) => findServer(name, run) === undefined)
  const seconds = missing.reduce((sum, name) => sum + get(name, run).buildSeconds, 0)
  return { names: missing, seconds: (seconds * measuredOnCores) / cores }
}

/** Removes the compiled packages, gigabytes of them, unless another process is compiling: that one removes them. */
export function forgetBuilds(cacheDir = locateCache(process.env)): void {
  try {
    const lock = takeLock(makingLock(cacheDir))
    forgetBuildCache(cacheDir)
    lock.release()
  } catch (error) {
    if (!(error instanceof LockHeld)) throw error
  }
}

/** Absolute path of one server's executable; see `resolveServers`. */
export async function resolveServer(name: ServerName, options: ResolveOptions): Promise<string> {
  return (await resolveServers([name], options))[name]
}
