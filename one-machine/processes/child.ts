/** One child process: how it is launched, watched until it is ready, and ended. */
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { scaledLimit } from './time-limits.ts'

const probeEveryMs = 40
const readyWithinMs = 60_000
const stopWithinMs = 5_000
const largestLogBytes = 16 * 1024 * 1024
const logTailLines = 12
const setpriv = '/usr/bin/setpriv'

export interface ChildSpec {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly cwd?: string
  /** Added to the inherited environment. */
  readonly env?: Readonly<Record<string, string>>
  /** Receives stdout and stderr; renamed to `<file>.1` when it has grown past 16 MiB. */
  readonly logFile: string
  /** Polled every 40 ms until it returns true; a child without it counts as ready at once. */
  readonly ready?: () => Promise<boolean>
  readonly readyWithinMs?: number
  /** Time between SIGTERM and SIGKILL; default 5 s. */
  readonly stopWithinMs?: number
  /** Restarts the child a second after it exited by itself. */
  readonly keepAlive?: boolean
  /** Called with the reason when the child exited without a stop. */
  readonly onEnd?: (reason: string) => void
}

export interface Child {
  readonly spec: ChildSpec
  readonly process: ChildProcess
  /** Resolves with the reason when the process has ended. */
  readonly ended: Promise<string>
  /** Set before the child is stopped, so that its end is not reported as a failure. */
  stopping: boolean
}

function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true })
  if (existsSync(file) && statSync(file).size > largestLogBytes) renameSync(file, `${file}.1`)
  return openSync(file, 'a', 0o600)
}

/**
 * Linux kills a child when its parent dies for any reason. On other systems the next start does, by the run file, and
 * so it does for a child whose parent died before its command ran.
 */
export function commandLine({ command, args }: Pick<ChildSpec, 'command' | 'args'>): [string, readonly string[]] {
  const canFollow = process.platform === 'linux' && existsSync(setpriv)
  return canFollow ? [setpriv, ['--pdeathsig', 'KILL', '--', command, ...args]] : [command, args]
}

/** In a process group of its own: a Ctrl-C in the terminal reaches only svc, which stops the children in order. */
export function launch(spec: ChildSpec): Child {
  const log = openLog(spec.logFile)
  const [command, args] = commandLine(spec)
  try {
    const started = spawn(command, args, {
      cwd: spec.cwd,
      env: { ...process.env, ...spec.env },
      stdio: ['ignore', log, log],
      detached: true,
    })
    return { spec, process: started, ended: endOf(started), stopping: false }
  } finally {
    closeSync(log)
  }
}

function endOf(started: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    started.once('error', (error) => resolve(error.message))
    started.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : signal))
  })
}

export function isAlive({ process: { pid, exitCode, signalCode } }: Child): boolean {
  return pid !== undefined && exitCode === null && signalCode === null
}

function tailOf(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-logTailLines).join('\n')
}

/** Rejects with the end of the log when the child ends first, and when the time is up. */
export async function waitUntilReady({ spec, ended }: Child): Promise<void> {
  let end: string | undefined
  void ended.then((reason) => (end = reason))
  const limitMs = scaledLimit(spec.readyWithinMs ?? readyWithinMs)
  const deadline = Date.now() + limitMs
  await sleep(0) // a command that cannot be launched fails now
  while (end === undefined) {
    if (spec.ready === undefined || (await spec.ready())) return
    if (Date.now() > deadline)
      throw new Error(`${spec.name} is not ready after ${limitMs / 1000} s; its log is ${spec.logFile}`)
    await sleep(probeEveryMs)
  }
  throw new Error(
    `${spec.name} ended (${end}) before it was ready; the end of ${spec.logFile}:\n${tailOf(spec.logFile)}`,
  )
}

/** Signals a child and all its descendants; a group that is gone is no error. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** SIGTERM, and SIGKILL when `ended` takes longer than `withinMs`. */
export async function endProcess(pid: number, ended: Promise<unknown>, withinMs = stopWithinMs): Promise<void> {
  signalGroup(pid, 'SIGTERM')
  const inTime = new AbortController()
  const late = sleep(scaledLimit(withinMs), true, { signal: inTime.signal }).catch(() => false)
  if (await Promise.race([ended.then(() => false), late])) signalGroup(pid, 'SIGKILL')
  inTime.abort()
  await ended
}

export async function endChild(child: Child): Promise<void> {
  child.stopping = true
  if (child.process.pid !== undefined) await endProcess(child.process.pid, child.ended, child.spec.stopWithinMs)
}
