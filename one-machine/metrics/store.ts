/**
 * The metrics store of one machine: VictoriaMetrics, which reads its targets by itself and answers by Prometheus' API.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { answers } from '../processes/answers.ts'
import { keepPort } from '../processes/kept-port.ts'
import { loopback } from '../processes/ports.ts'
import { createSupervisor, stopLeftovers } from '../processes/supervisor.ts'
import { resolveServer, type ResolveOptions } from '../servers/resolve.ts'
import { scrapeFile, type Target } from './scrape.ts'

/** Twice the longest window that is asked for. */
const keptFor = '2d'
/** For its caches: 60 to 100 MB are resident then. */
const cacheBytes = '48MB'
const stopWithinMs = 2_000

export interface MetricsStore {
  /** `http://127.0.0.1:PORT`, where it answers once it was made. */
  readonly address: string
  /**
   * Resolves when it answers and reads its targets. Downloads or builds it where this machine lacks it, which takes
   * half a minute once; `keepBuilds` keeps compiled packages for what is built after it. Rejects with one sentence.
   */
  make(targets: readonly Target[], options: Pick<ResolveOptions, 'progress' | 'keepBuilds'>): Promise<void>
  stop(): Promise<void>
}

/**
 * The store that keeps its data in `folder`; the process that a killed start left there is stopped. Its port is chosen
 * now, and stays the same from start to start while it is free, since the api gets the address before the store
 * runs.
 */
export async function createMetricsStore(folder: string): Promise<MetricsStore> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const runFile = join(folder, 'run.json')
  await stopLeftovers(runFile)
  const port = await keepPort(join(folder, 'port.json'))
  const supervisor = createSupervisor(runFile)
  const address = `http://${loopback}:${port}`
  return {
    address,
    async make(targets, options) {
      const command = await resolveServer('victoria-metrics', options)
      await writeFile(join(folder, 'scrape.json'), scrapeFile(targets))
      await supervisor.start({
        name: 'victoria-metrics',
        command,
        args: metricsStoreArguments(port),
        cwd: folder,
        logFile: join(folder, 'store.log'),
        ready: () => answers(`${address}/health`),
        stopWithinMs,
        keepAlive: true,
      })
    },
    stop: () => supervisor.stop(),
  }
}

/** Samples can be queried a second after they were read. Paths are below the working folder. */
export const metricsStoreArguments = (port: number): string[] => [
  `-httpListenAddr=${loopback}:${port}`,
  '-storageDataPath=data',
  '-promscrape.config=scrape.json',
  `-retentionPeriod=${keptFor}`,
  `-memory.allowedBytes=${cacheBytes}`,
  '-search.latencyOffset=1s', // else the last half minute is hidden
  '-http.maxGracefulShutdownDuration=1s',
  '-loggerLevel=WARN',
]
