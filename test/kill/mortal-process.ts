/** A process of svc that a kill test starts, arms and waits for. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine } from '../../one-machine/processes/index.ts'
import { endWithSuite } from '../harness/leftovers.ts'
import { untilSays } from '../harness/until-says.ts'
import type { Death } from './mortal-client.ts'

export interface ProcessOptions {
  /** Path below the project. */
  entry: string
  env: Readonly<Record<string, string>>
  /** Part of the line that it logs when it is ready. */
  ready: string
  /** File that receives all its output. */
  logFile?: string
  /** Called right after the spawn, before the first message of the child can arrive. */
  onSpawn?: (child: ChildProcess) => void
}

export interface MortalProcess {
  readonly pid: number
  readonly alive: boolean
  /** Resolves when the process is gone, for whatever reason. */
  readonly gone: Promise<void>
  /** The process kills itself at that write. */
  arm(death: Death): void
  /** For processes that receive other messages too. */
  readonly child: ChildProcess
  kill(): Promise<void>
}

const root = join(import.meta.dirname, '../..')
/** A machine that runs two whole platforms is slow to start one more process. */
const readyWithinMs = 180_000

/** Resolves when it is ready. */
export async function startProcess(options: ProcessOptions): Promise<MortalProcess> {
  // By the system: a process that still loads its modules, or has stopped, sees nothing of its parent's end by itself.
  const [command, args] = commandLine({ command: process.execPath, args: [join(root, options.entry)] })
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ...options.env },
  })
  endWithSuite(child, options.entry)
  options.onSpawn?.(child)
  const gone = once(child, 'exit').then(() => undefined)
  child.on('error', () => undefined) // sending to a process that just died fails; its exit is handled elsewhere
  const { entry: name, ready, logFile } = options
  await untilSays(child, {
    name,
    ready,
    withinMs: readyWithinMs,
    onLine: (line) => {
      if (logFile !== undefined) appendFileSync(logFile, `${line}\n`)
    },
  })
  return {
    pid: child.pid ?? 0,
    get alive() {
      return child.exitCode === null && child.signalCode === null
    },
    gone,
    arm: (death) => void child.send(death),
    child,
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}
