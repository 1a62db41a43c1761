/** The children of one data directory: started, restarted, stopped in order, and never left behind. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import {
  endChild,
  endProcess,
  isAlive,
  launch,
  signalGroup,
  waitUntilReady,
  type Child,
  type ChildSpec,
} from './child.ts'
import { identify, isRunning, type ProcessIdentity } from './identity.ts'
import { writeWhole } from './write-whole.ts'

export type { ChildSpec } from './child.ts'

const restartAfterMs = 1_000
const goneEveryMs = 40
const runRecord = z.array(z.object({ name: z.string(), pid: z.number(), began: z.string() }))

export interface Supervisor {
  /** Resolves with the pid when the child is ready; rejects with the end of its log when it exits first. */
  start(spec: ChildSpec): Promise<number>
  /** With a new environment where one is given. */
  restart(name: string, env?: Readonly<Record<string, string>>): Promise<number>
  kill(name: string, signal: NodeJS.Signals): void
  pids(): Record<string, number>
  /** Stops every child, in reverse order of their starts or all at once. */
  stop(order?: 'last first' | 'together'): Promise<void>
}

async function untilGone(process: ProcessIdentity): Promise<void> {
  while (isRunning(process)) await sleep(goneEveryMs)
}

function readRunFile(runFile: string): z.infer<typeof runRecord> {
  try {
    return runRecord.parse(JSON.parse(readFileSync(runFile, 'utf8')))
  } catch {
    return [] // the file is renamed into place complete, so this one is not ours
  }
}

/** Stops the processes that a killed run recorded in its run file and left running; returns their names. */
export async function stopLeftovers(runFile: string): Promise<string[]> {
  if (!existsSync(runFile)) return []
  const running = readRunFile(runFile).filter(isRunning).toReversed()
  for (const process of running) await endProcess(process.pid, untilGone(process))
  rmSync(runFile, { force: true })
  return running.map((process) => process.name)
}

/** Records the running children, so that the next start can stop them if this process is killed. */
function writeRunFile(runFile: string, children: readonly Child[]): void {
  const running = children.flatMap(({ spec, process: { pid } }) => {
    const identity = pid === undefined ? undefined : identify(pid)
    return identity === undefined ? [] : [{ name: spec.name, ...identity }]
  })
  mkdirSync(dirname(runFile), { recursive: true })
  writeWhole(runFile, JSON.stringify(running))
}

/** Supervises children, which are recorded in `runFile` while they run; call `stopLeftovers(runFile)` first. */
export function createSupervisor(runFile: string): Supervisor {
  const children = new Map<string, Child>()
  let stopped = false
  const alive = (): Child[] => [...children.values()].filter(isAlive)
  const killAll = (): void => {
    for (const child of alive()) signalGroup(child.process.pid ?? 0, 'SIGKILL')
  }
  process.once('exit', killAll)

  const begin = (spec: ChildSpec): Child => {
    if (stopped) throw new Error(`${spec.name} is not started: everything was stopped`)
    const child = launch(spec)
    children.set(spec.name, child)
    void child.ended.then((reason) => onEnd(child, reason))
    writeRunFile(runFile, alive())
    return child
  }
  const onEnd = async (child: Child, reason: string): Promise<void> => {
    if (child.stopping) return
    child.spec.onEnd?.(reason)
    if (child.spec.keepAlive !== true) return
    await sleep(restartAfterMs)
    if (!child.stopping && children.get(child.spec.name) === child) begin(child.spec)
  }
  const get = (name: string): Child => {
    const child = children.get(name)
    if (child === undefined) throw new Error(`there is no process named ${name}`)
    return child
  }
  const start = async (spec: ChildSpec): Promise<number> => {
    const child = begin(spec)
    await waitUntilReady(child)
    return child.process.pid ?? 0
  }

  return {
    start,
    async restart(name, env) {
      const { spec } = get(name)
      await endChild(get(name))
      return start(env === undefined ? spec : { ...spec, env })
    },
    kill: (name, signal) => signalGroup(get(name).process.pid ?? 0, signal),
    pids: () => Object.fromEntries(alive().map((child) => [child.spec.name, child.process.pid ?? 0])),
    async stop(order = 'last first') {
      stopped = true
      const ending = [...children.values()].toReversed()
      for (const child of ending) child.stopping = true
      if (order === 'together') await Promise.all(ending.map(endChild))
      else for (const child of ending) await endChild(child)
      process.removeListener('exit', killAll)
      rmSync(runFile, { force: true })
    },
  }
}
