/** A project whose use an exporter plays to a metrics store, which scrapes svc's own processes as well. */
import { startTestWorker } from '../harness/worker.ts'
import { freePort } from '../../one-machine/processes/index.ts'
import { type MetricsServer, startMetricsStore } from '../harness/metrics-store.ts'
import { useStack } from '../harness/stack.ts'
import { startExporter, type Sample } from './sample-exporter.ts'
import { type Answer, startTestApi, type TestApi } from './test-api.ts'

export interface MeasuredWorld {
  readonly api: TestApi
  /** Of an admin. */
  readonly token: string
  readonly workerPort: number
  readonly project: string
  readonly app: string
  readonly database: string
  /** The body of a read. */
  read(path: string, surface?: string): Promise<Answer['body']>
  stop(): Promise<void>
}

export const MiB = 1024 * 1024

/** Samples of a pod with one container; the sums that cAdvisor adds must not be counted again. */
function podSamples(
  namespace: string,
  pod: string,
  use: { cpu: number; memory: number; out: number; in: number },
): Sample[] {
  const there = { namespace, pod }
  const cpu = 'container_cpu_usage_seconds_total'
  const memory = 'container_memory_working_set_bytes'
  return [
    { name: cpu, labels: { ...there, container: 'app' }, perSecond: use.cpu },
    { name: cpu, labels: { ...there, container: '' }, perSecond: use.cpu },
    { name: memory, labels: { ...there, container: 'app' }, value: use.memory },
    { name: memory, labels: { ...there, container: '' }, value: use.memory },
    { name: 'container_network_transmit_bytes_total', labels: { ...there, interface: 'eth0' }, perSecond: use.out },
    { name: 'container_network_receive_bytes_total', labels: { ...there, interface: 'eth0' }, perSecond: use.in },
  ]
}

interface Names {
  readonly project: string
  readonly app: string
  readonly database: string
}

const samplesOf = ({ project, app, database }: Names): Sample[] => {
  const [production, staging] = [`${project}-production`, `${project}-staging`]
  return [
    ...podSamples(production, `${app}-7d4f9c6b5d-abcde`, { cpu: 0.2, memory: 64 * MiB, out: 1000, in: 2000 }),
    ...podSamples(production, `${app}-7d4f9c6b5d-fghij`, { cpu: 0.05, memory: 32 * MiB, out: 500, in: 0 }),
    // Another service whose name has the same prefix, and one of the same name in another environment.
    ...podSamples(production, `${app}-api-5c8f7d9b4-klmno`, { cpu: 1, memory: 128 * MiB, out: 10, in: 20 }),
    ...podSamples(staging, `${app}-7d4f9c6b5d-pqrst`, { cpu: 2, memory: 256 * MiB, out: 100, in: 200 }),
    ...podSamples(production, `${database}-0`, { cpu: 0.5, memory: 512 * MiB, out: 300, in: 400 }),
    ...podSamples('kube-system', 'kube-proxy-x1', { cpu: 0.25, memory: 16 * MiB, out: 99_999, in: 99_999 }),
    {
      name: 'kubelet_volume_stats_used_bytes',
      labels: { namespace: production, persistentvolumeclaim: `${app}-volume` },
      value: 5 * MiB,
    },
    {
      name: 'kubelet_volume_stats_capacity_bytes',
      labels: { namespace: production, persistentvolumeclaim: `${app}-volume` },
      value: 5.5 * MiB,
    },
    {
      name: 'kubelet_volume_stats_used_bytes',
      labels: { namespace: production, persistentvolumeclaim: `data-${database}-0` },
      value: 700 * MiB,
    },
    {
      name: 'kubelet_volume_stats_capacity_bytes',
      labels: { namespace: production, persistentvolumeclaim: `data-${database}-0` },
      value: 800 * MiB,
    },
    {
      name: 'kubelet_volume_stats_capacity_bytes',
      labels: { namespace: production, persistentvolumeclaim: `data-${database}-archive-0` },
      value: 800 * MiB,
    },
    {
      name: 'kubelet_volume_stats_used_bytes',
      labels: { namespace: production, persistentvolumeclaim: `data-${database}-archive-0` },
      value: 9 * MiB,
    },
    {
      name: 'traefik_service_requests_total',
      labels: { service: `${production}-${app}-http@kubernetes`, code: '200' },
      perSecond: 4,
    },
    {
      name: 'traefik_service_requests_total',
      labels: { service: `${production}-${app}-http@kubernetes`, code: '500' },
      perSecond: 1,
    },
    {
      name: 'traefik_service_requests_total',
      labels: { service: `${production}-${app}-api-http@kubernetes`, code: '200' },
      perSecond: 50,
    },
  ]
}

/** What it makes in the cluster stays there after `stop`. */
export async function startMeasuredWorld(server: MetricsServer): Promise<MeasuredWorld> {
  await useStack()
  const [port, workerPort] = [await freePort(), await freePort()]
  const api = await startTestApi({ env: { SVC_PROMETHEUS_URL: `http://127.0.0.1:${port}` } })
  const token = await api.token({ role: 'admin' })
  const ask = async (path: string, json: object) => (await api.ask('POST', `/api/v1${path}`, { token, json })).body
  const { project } = await ask('/projects', {})
  await ask(`/projects/${project}/environments`, { environment: 'staging' })
  const place = { project, environment: 'production' }
  const { name: app } = await ask('/apps', { ...place, image: 'svc/hello:1', volumePath: '/data' })
  const { name: database } = await ask('/databases', { ...place, engine: 'postgres' })
  const exporter = await startExporter(samplesOf({ project, app, database }))
  const worker = await startTestWorker({}, 'temporal/main.ts', { SVC_METRICS_PORT: String(workerPort) })
  const others = { api: `127.0.0.1:${api.port}`, worker: `127.0.0.1:${workerPort}` }
  const store = await startMetricsStore({ port, exporter, others, server })
  return {
    api,
    token,
    workerPort,
    project,
    app,
    database,
    read: async (path, surface = '/api/v1') => (await api.ask('GET', surface + path, { token })).body,
    async stop() {
      await store.stop()
      await worker.stop()
      await api.stop()
      await exporter.stop()
    },
  }
}
