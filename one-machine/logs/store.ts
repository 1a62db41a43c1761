/** The log store of one machine: Loki, and the collector that gives it the lines of the node's pods. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { answers } from '../processes/answers.ts'
import { keepPort } from '../processes/kept-port.ts'
import { freePort, loopback } from '../processes/ports.ts'
import { createSupervisor, stopLeftovers } from '../processes/supervisor.ts'
import { resolveServer, type ResolveOptions } from '../servers/resolve.ts'
import { collectorFlags, collectorSettings } from './collector-settings.ts'
import { storeSettings } from './store-settings.ts'

/** Both may be killed at any moment: what the store took is in its files, what it did not take in those of the pods. */
const stopWithinMs = 1_000
/** At these Go collects its garbage more eagerly; neither is an end. */
const goMemoryLimits = { store: '160MiB', collector: '64MiB' }

export interface LogStore {
  /** `http://127.0.0.1:PORT`, where it answers once it was made. */
  readonly address: string
  /**
   * Resolves when it answers and lines are collected. Rejects with one sentence, also where Loki would have to be built
   * and may not be.
   */
  make(options: MakeOptions): Promise<void>
  stop(): Promise<void>
}

export interface MakeOptions extends Pick<ResolveOptions, 'progress' | 'keepBuilds'> {
  /** Whether Loki may be built, which takes minutes; the collector is built wherever it is missing. */
  readonly mayBuildStore: boolean
}

/**
 * The store that keeps its data in `folder`; processes that a killed start left there are stopped. Its port is chosen
 * now, since the api gets the address before the store runs.
 *
 * @param podLogs absolute path of the node's `/var/log/pods` on this machine
 */
export async function createLogStore(folder: string, podLogs: string): Promise<LogStore> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const runFile = join(folder, 'run.json')
  await stopLeftovers(runFile)
  const port = await keepPort(join(folder, 'port.json'))
  const supervisor = createSupervisor(runFile)
  const address = `http://${loopback}:${port}`
  const shared = { cwd: folder, stopWithinMs, keepAlive: true }
  return {
    address,
    async make({ mayBuildStore, ...options }) {
      const loki = await resolveServer('loki', { ...options, mayBuild: mayBuildStore })
      const collector = await resolveServer('log-collector', options)
      const settings = storeSettings({ http: port, grpc: await freePort() })
      await writeFile(join(folder, 'store.json'), JSON.stringify(settings, undefined, 2))
      await writeFile(join(folder, 'collector.json'), collectorSettings({ podLogs, store: address }))
      await supervisor.start({
        ...shared,
        name: 'loki',
        command: loki,
        args: ['-config.file=store.json'],
        env: { GOMEMLIMIT: goMemoryLimits.store },
        logFile: join(folder, 'store.log'),
        ready: () => answers(`${address}/ready`),
      })
      await supervisor.start({
        ...shared,
        name: 'log-collector',
        command: collector,
        args: ['--config=file:collector.json', ...collectorFlags],
        env: { GOMEMLIMIT: goMemoryLimits.collector },
        logFile: join(folder, 'collector.log'),
      })
    },
    stop: () => supervisor.stop('together'),
  }
}
