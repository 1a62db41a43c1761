/** Children of this process: started, watched until ready, stopped in order, and never left behind. */
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify, isRunning, type ProcessIdentity } from './process-identity.ts'

const probeEveryMs = 40
const readyWithinMs = 60_000
const stopWithinMs = 5_000
const restartAfterMs = 1_000
const largestLogBytes = 16 * 1024 * 1024
const logTailLines = 12

export interface ChildSpec {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly cwd?: string
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** Takes stdout and stderr; moved aside to `<file>.1` when it has grown past 16 MiB. */
  readonly logFile: string
  /** Asked every 40 ms until it says true; a child without it counts as ready at once. */
  readonly ready?: () => Promise<boolean>
  readonly readyWithinMs?: number
  /** How long the child may take over SIGTERM before SIGKILL. */
  readonly stopWithinMs?: number
  /** Starts the child again a second after it ended by itself. */
  readonly keepAlive?: boolean
}

export interface Supervisor {
  /** Resolves with the pid when the child is ready; rejects with the end of its log when it ends before. */
  start(spec: ChildSpec): Promise<number>
  restart(name: string): Promise<number>
  kill(name: string, signal: NodeJS.Signals): void
  pids(): Record<string, number>
  /** Stops every child, the last started first; children of one `stage` list stop together. */
  stop(): Promise<void>
}

interface Child {
  readonly spec: ChildSpec
  process: ChildProcess
  /** Settles when the process has ended. */
  ended: Promise<string>
  stopping: boolean
}

/** Linux can end a child when its parent dies, however that dies; elsewhere the run file does it at the next start. */
const deathSignal = process.platform === 'linux' && existsSync('/usr/bin/setpriv')

function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true })
  if (existsSync(file) && statSync(file).size > largestLogBytes) renameSync(file, `${file}.1`)
  return openSync(file, 'a', 0o600)
}

function tailOf(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-logTailLines).join('\n')
}

function launch(spec: ChildSpec): ChildProcess {
  const log = openLog(spec.logFile)
  const [command, args] = deathSignal
    ? ['/usr/bin/setpriv', ['--pdeathsig', 'KILL', '--', spec.command, ...spec.args]]
    : [spec.command, [...spec.args]]
  try {
    return spawn(command, args, {
      cwd: spec.cwd,
      env: { ...process.env, ...spec.env },
      stdio: ['ignore', log, log],
      detached: true, // a Ctrl-C in the terminal reaches only us, and we stop them in order
    })
  } finally {
    closeSync(log)
  }
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise(resolve => {
    child.once('error', error => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : signal))
  })
}

async function waitUntilReady(child: Child): Promise<void> {
  const { spec } = child
  let end: string | undefined
  void child.ended.then(reason => (end = reason))
  const deadline = Date.now() + (spec.readyWithinMs ?? readyWithinMs)
  await sleep(0)
  while (end === undefined) {
    if (spec.ready === undefined || (await spec.ready())) return
    if (Date.now() > deadline) throw new Error(`${spec.name} is not ready after ${Math.round((spec.readyWithinMs ?? readyWithinMs) / 1000)} s; its log is ${spec.logFile}`)
    await sleep(probeEveryMs)
  }
  throw new Error(`${spec.name} ended (${end}) before it was ready; the end of ${spec.logFile}:\n${tailOf(spec.logFile)}`)
}

async function endProcess(pid: number, ended: Promise<unknown>, withinMs: number): Promise<void> {
  signalGroup(pid, 'SIGTERM')
  const timer = new AbortController()
  const patience = sleep(withinMs, 'late', { signal: timer.signal }).catch(() => undefined)
  if ((await Promise.race([ended, patience])) === 'late') signalGroup(pid, 'SIGKILL')
  timer.abort()
  await ended
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function untilGone(process: ProcessIdentity): Promise<void> {
  while (isRunning(process)) await sleep(probeEveryMs)
}

/** Stops what a killed run wrote into its run file and left running; answers the names of those. */
export async function stopLeftovers(runFile: string): Promise<string[]> {
  if (!existsSync(runFile)) return []
  let listed: (ProcessIdentity & { name: string })[] = []
  try {
    listed = JSON.parse(readFileSync(runFile, 'utf8')) as (ProcessIdentity & { name: string })[]
  } catch {
    // half written by a run that was killed: its children had the death signal or are found by their ports
  }
  const running = listed.filter(isRunning).reverse()
  for (const process of running) await endProcess(process.pid, untilGone(process), stopWithinMs)
  rmSync(runFile, { force: true })
  return running.map(process => process.name)
}

/**
 * Supervises the children of one data directory. `runFile` lists them while they run, so that the next start can stop
 * what a killed run left behind: call `stopLeftovers(runFile)` first.
 */
export function createSupervisor(runFile: string): Supervisor {
  const children = new Map<string, Child>()

  const alive = (): Child[] =>
    [...children.values()].filter(child => child.process.exitCode === null && child.process.signalCode === null && child.process.pid !== undefined)

  const writeRunFile = (): void => {
    const listed = alive().flatMap(child => {
      const identity = identify(child.process.pid ?? 0)
      return identity === undefined ? [] : [{ name: child.spec.name, ...identity }]
    })
    mkdirSync(dirname(runFile), { recursive: true })
    writeFileSync(`${runFile}.new`, JSON.stringify(listed))
    renameSync(`${runFile}.new`, runFile)
  }

  const killAll = (): void => {
    for (const child of alive()) signalGroup(child.process.pid ?? 0, 'SIGKILL')
  }
  process.once('exit', killAll)

  const begin = (spec: ChildSpec): Child => {
    const started = launch(spec)
    const child: Child = { spec, process: started, ended: endOf(started), stopping: false }
    children.set(spec.name, child)
    void child.ended.then(async () => {
      if (!spec.keepAlive || child.stopping) return
      await sleep(restartAfterMs)
      if (!child.stopping && children.get(spec.name) === child) begin(spec)
    })
    writeRunFile()
    return child
  }

  const get = (name: string): Child => {
    const child = children.get(name)
    if (child === undefined) throw new Error(`there is no process named ${name}`)
    return child
  }

  const end = async (child: Child): Promise<void> => {
    child.stopping = true
    if (child.process.pid !== undefined) await endProcess(child.process.pid, child.ended, child.spec.stopWithinMs ?? stopWithinMs)
  }

  const start = async (spec: ChildSpec): Promise<number> => {
    const child = begin(spec)
    await waitUntilReady(child)
    return child.process.pid ?? 0
  }

  return {
    start,
    async restart(name) {
      const child = get(name)
      await end(child)
      return start(child.spec)
    },
    kill: (name, signal) => signalGroup(get(name).process.pid ?? 0, signal),
    pids: () => Object.fromEntries(alive().map(child => [child.spec.name, child.process.pid ?? 0])),
    async stop() {
      for (const child of [...children.values()].reverse()) await end(child)
      process.removeListener('exit', killAll)
      rmSync(runFile, { force: true })
    },
  }
}
