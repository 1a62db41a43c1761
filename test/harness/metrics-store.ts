/**
 * A metrics store for tests, with its own port and folder: VictoriaMetrics, which svc's own stack ships and which is
 * built in a sixth of the time of Prometheus; or a real Prometheus for the tests of test/api/prometheus.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { metricsStoreArguments } from '../../one-machine/index.ts'
import { endChild, launch, waitUntilReady } from '../../one-machine/processes/index.ts'
import { createPrometheus } from '../../outside/metrics/prometheus.ts'
import { eventually } from '../cluster/eventually.ts'
import type { Exporter } from '../api/sample-exporter.ts'
import { testServer } from './servers.ts'
import { atEnd } from './stack.ts'

export type MetricsServer = 'victoria-metrics' | 'prometheus'

export interface MetricsStoreOptions {
  readonly port: number
  /** The job `cluster`; the store has all its samples once it was started. */
  readonly exporter: Exporter
  /** `host:port` by job. Every target is scraped every second at /metrics. */
  readonly others?: Readonly<Record<string, string>>
  /** VictoriaMetrics without it. */
  readonly server?: MetricsServer
}

export interface TestMetricsStore {
  readonly url: string
  stop(): Promise<void>
}

/** The first build on a machine takes minutes. */
export const metricsStoreWithinMs = 900_000
const seenWithinMs = 60_000

const argumentsOf: Readonly<Record<MetricsServer, (port: number) => readonly string[]>> = {
  // An exporter has nothing new in most scrapes, which ends none of its series.
  'victoria-metrics': (port) => [...metricsStoreArguments(port), '-promscrape.noStaleMarkers'],
  prometheus: (port) => [
    '--config.file=scrape.json',
    '--storage.tsdb.path=data',
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=error',
  ],
}
const readyPath: Readonly<Record<MetricsServer, string>> = { 'victoria-metrics': '/health', prometheus: '/-/ready' }

/** Fails when the server can be neither found nor built. */
export async function startMetricsStore(options: MetricsStoreOptions): Promise<TestMetricsStore> {
  const { port, exporter, others = {}, server = 'victoria-metrics' } = options
  const command = await testServer(server)
  const folder = await mkdtemp(join(tmpdir(), 'svc-metrics-'))
  const jobs = Object.entries({ cluster: exporter.target, ...others }).map(([job, target]) => ({
    job_name: job,
    honor_timestamps: true,
    static_configs: [{ targets: [target] }],
  }))
  await writeFile(
    join(folder, 'scrape.json'),
    JSON.stringify({ global: { scrape_interval: '1s', scrape_timeout: '1s' }, scrape_configs: jobs }),
  )
  const url = `http://127.0.0.1:${port}`
  const child = launch({
    name: server,
    command,
    args: argumentsOf[server](port),
    cwd: folder,
    logFile: join(folder, 'store.log'),
    ready: () => isReady(url + readyPath[server]),
  })
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> =>
    (stopping ??= endChild(child).then(() => rm(folder, { recursive: true, force: true })))
  atEnd(stop)
  await waitUntilReady(child)
  await untilSeen(url, exporter)
  return { url, stop }
}

/** A store makes the samples of one scrape visible some at a time: a sum of them would be too small for a while. */
async function untilSeen(url: string, exporter: Exporter): Promise<void> {
  const store = createPrometheus({ address: () => url })
  const seen = async (name: string): Promise<number> =>
    (await store.instant(`sum(count_over_time(${name}{job="cluster"}[1h]))`))[0]?.value ?? 0
  const isSeen = async (): Promise<boolean> => {
    const given = [...exporter.given()]
    const all = await Promise.all(given.map(async ([name, count]) => (await seen(name)) >= count))
    return all.length > 0 && !all.includes(false)
  }
  await eventually('the store has every sample', isSeen, seenWithinMs)
}

async function isReady(url: string): Promise<boolean> {
  try {
    const { statusCode, body } = await request(url)
    await body.dump()
    return statusCode === 200
  } catch {
    return false // not listening yet
  }
}
