/** A world of one suite whose worker dies at a write; the next one has the same settings. */
import { wakeWith } from '../harness/records.ts'
import { testPolicy, type TestWorker } from '../harness/worker.ts'
import { killPolicy, startMortalWorker } from '../kill/enumerated.ts'
import type { MortalProcess } from '../kill/mortal-process.ts'
import { diesWith } from '../kill/write-points.ts'

export interface MortalWorld<World> {
  world: World
  /** The one that runs now. */
  readonly worker: MortalProcess
  /** Whether the worker died at the write that it is armed for, before this had ended; another one runs by then. */
  survive(completion: Promise<unknown>): Promise<boolean>
  /** Ends the worker, where it lives, and starts another one. */
  replace(): Promise<void>
  end(): Promise<void>
}

/** `open`: makes the world with the worker that it starts. `more`: settings of every worker of it. */
export async function openMortalWorld<World extends { end(): Promise<void> }>(
  open: (start: (env: Record<string, string>) => Promise<TestWorker>) => Promise<World>,
  more: Readonly<Record<string, string>> = {},
): Promise<MortalWorld<World>> {
  let env: Record<string, string> = {}
  let running: MortalProcess | undefined
  const start = async (): Promise<MortalProcess> => (running = await startMortalWorker({}, undefined, env))
  const stop = async (): Promise<void> => running?.kill()
  const endWorker = async (): Promise<void> => {
    wakeWith(testPolicy)
    await stop()
  }
  wakeWith(killPolicy)
  try {
    const world = await open(async (wanted) => {
      env = { ...wanted, ...more }
      const { pid } = await start()
      return { pid, stop }
    })
    const worker = (): MortalProcess => {
      if (running === undefined) throw new Error('the world has started no worker')
      return running
    }
    return {
      world,
      get worker() {
        return worker()
      },
      async survive(completion) {
        const died = await diesWith(worker(), completion)
        if (died) await start()
        return died
      },
      async replace() {
        await stop()
        await start()
      },
      async end() {
        await world.end()
        await endWorker()
      },
    }
  } catch (error) {
    await endWorker()
    throw error
  }
}
