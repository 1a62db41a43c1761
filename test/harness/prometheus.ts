/** A real Prometheus for tests: found like every other server, with its own port and folder. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { endChild, launch, waitUntilReady } from '../../one-machine/processes/index.ts'
import { testServer } from './servers.ts'
import { atEnd } from './stack.ts'

export interface PrometheusOptions {
  readonly port: number
  /** `host:port` by job; scraped every second at /metrics. */
  readonly targets: Readonly<Record<string, string>>
}

export interface Prometheus {
  readonly url: string
  stop(): Promise<void>
}

/** The first build on a machine takes minutes. */
export const prometheusWithinMs = 900_000

/** Fails when it can be neither found nor built. */
export async function startPrometheus({ port, targets }: PrometheusOptions): Promise<Prometheus> {
  const command = await testServer('prometheus')
  const folder = await mkdtemp(join(tmpdir(), 'svc-prometheus-'))
  const jobs = Object.entries(targets).map(([job, target]) => ({
    job_name: job,
    static_configs: [{ targets: [target] }],
  }))
  await writeFile(
    join(folder, 'prometheus.yml'),
    JSON.stringify({ global: { scrape_interval: '1s', scrape_timeout: '1s' }, scrape_configs: jobs }),
  )
  const url = `http://127.0.0.1:${port}`
  const child = launch({
    name: 'prometheus',
    command,
    args: [
      '--config.file=prometheus.yml',
      '--storage.tsdb.path=data',
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    cwd: folder,
    logFile: join(folder, 'prometheus.log'),
    ready: () => isReady(url),
  })
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> =>
    (stopping ??= endChild(child).then(() => rm(folder, { recursive: true, force: true })))
  atEnd(stop)
  await waitUntilReady(child)
  return { url, stop }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const { statusCode, body } = await request(`${url}/-/ready`)
    await body.dump()
    return statusCode === 200
  } catch {
    return false // not listening yet
  }
}
