/** Metrics from a real Prometheus that scrapes a played cluster and svc's own processes. */
import { expect } from 'chai'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { freePort } from '../../one-machine/processes/index.ts'
import { eventually } from '../cluster/eventually.ts'
import { type Prometheus, prometheusWithinMs, startPrometheus } from '../harness/prometheus.ts'
import { resyncUntil } from '../harness/resync.ts'
import { useStack } from '../harness/stack.ts'
import { startTestWorker, type TestWorker } from '../harness/worker.ts'
import { startExporter, type Exporter, type Sample } from './sample-exporter.ts'
import { startTestApi, type TestApi } from './test-api.ts'

const MiB = 1024 * 1024

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

describe('metrics', function () {
  this.timeout(120_000)
  let api: TestApi
  let exporter: Exporter
  let worker: TestWorker
  let workerPort: number
  let prometheus: Prometheus
  let token: string
  let project: string
  let app: string
  let database: string

  before(async function () {
    this.timeout(prometheusWithinMs)
    await useStack()
    const prometheusPort = await freePort()
    workerPort = await freePort()
    const url = `http://127.0.0.1:${prometheusPort}`
    api = await startTestApi({ env: { SVC_PROMETHEUS_URL: url } })
    token = await api.token({ role: 'admin' })
    const ask = (path: string, json: object) => api.ask('POST', `/api/v1${path}`, { token, json })
    project = (await ask('/projects', {})).body.project
    await ask(`/projects/${project}/environments`, { environment: 'staging' })
    app = (await ask('/apps', { project, environment: 'production', image: 'svc/hello:1', volumePath: '/data' })).body
      .name
    database = (await ask('/databases', { project, environment: 'production', engine: 'postgres' })).body.name
    const [production, staging] = [`${project}-production`, `${project}-staging`]
    exporter = await startExporter([
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
    ])
    worker = await startTestWorker({}, 'temporal/main.ts', { SVC_METRICS_PORT: String(workerPort) })
    prometheus = await startPrometheus({
      port: prometheusPort,
      targets: { cluster: exporter.target, api: `127.0.0.1:${api.port}`, worker: `127.0.0.1:${workerPort}` },
    })
    await eventually(
      'the samples are in',
      async () => (await read(`/apps/${app}/metrics`)).series.cpu.length > 0,
      60_000,
    )
  })
  after(async () => {
    await prometheus.stop()
    await worker.stop()
    await api.stop()
    await exporter.stop()
  })

  const read = async (path: string, surface = '/api/v1') => (await api.ask('GET', surface + path, { token })).body
  const place = () => ({ project, environment: 'production' })
  /** The value of a series that is constant. */
  const steady = (points: { t: number; v: number }[]): number => {
    const values = points.map(({ v }) => v)
    const [first = Number.NaN] = values
    for (const value of values) expect(value).to.be.closeTo(first, Math.abs(first) / 100)
    return Math.round(first * 1000) / 1000
  }
  const steadyOf = (series: Record<string, { t: number; v: number }[]>) =>
    Object.fromEntries(Object.entries(series).map(([name, points]) => [name, steady(points)]))

  it('GET /api/v1/apps/{name}/metrics tells what the copies of the service use, and of no other', async () => {
    const body = await read(`/apps/${app}/metrics`)
    expect(body).to.include({ window: '15m', step: 15, available: true }).and.not.have.property('message')
    expect(steadyOf(body.series)).to.deep.equal({
      cpu: 0.25,
      memory: 96 * MiB,
      network: 1500,
      networkIn: 2000,
      requests: 5,
      storage: 5 * MiB,
    })
    expect(body.series.cpu).to.have.length.within(59, 61)
    const times = body.series.cpu.map(({ t }: { t: number }) => t)
    expect(times.slice(1).map((t: number, index: number) => t - times[index])).to.deep.equal(
      Array.from({ length: times.length - 1 }, () => 15),
    )
  })

  for (const [window, step] of [
    ['1h', 60],
    ['6h', 360],
    ['24h', 1440],
  ] as const) {
    it(`GET /api/apps/{app}/metrics answers a window of ${window} in steps of ${step} s`, async () => {
      expect(await read(`/apps/${app}/metrics?window=${window}`, '/api')).to.include({ window, step, available: true })
    })
  }

  it('GET /api/v1/apps/{name}/metrics refuses another window', async () => {
    const answer = await api.ask('GET', `/api/v1/apps/${app}/metrics?window=2h`, { token })
    expect([answer.status, answer.body.error]).to.deep.equal([400, 'window must be 15m, 1h, 6h, or 24h'])
  })

  it('GET /api/v1/projects/{name}/metrics sums up the project, or one environment of it', async () => {
    const whole = await read(`/projects/${project}/metrics`)
    expect(steadyOf(whole.series)).to.deep.equal({ cpu: 3.75, memory: 992 * MiB, network: 1910, networkIn: 2620 })
    const staging = await read(`/projects/${project}/metrics?environment=staging`, '/api')
    expect(steadyOf(staging.series)).to.deep.equal({ cpu: 2, memory: 256 * MiB, network: 100, networkIn: 200 })
    const missing = await api.ask('GET', `/api/v1/projects/${project}/metrics?environment=nowhere`, { token })
    expect([missing.status, missing.body.error]).to.deep.equal([400, 'the project has no environment nowhere'])
  })

  it('GET /api/v1/cluster/metrics sums up all pods; those that share the network of their node are not counted for it', async () => {
    const { series } = await read('/cluster/metrics')
    expect(steadyOf(series)).to.deep.equal({ cpu: 4, memory: 1008 * MiB, network: 1910, networkIn: 2620 })
    expect(await read('/cluster/metrics', '/api')).to.include({ available: true })
  })

  it('GET /api/v1/databases/{name}/metrics tells the storage of a database besides', async () => {
    const { series } = await read(`/databases/${database}/metrics`)
    expect(steadyOf(series)).to.deep.equal({
      cpu: 0.5,
      memory: 512 * MiB,
      network: 300,
      networkIn: 400,
      storage: 700 * MiB,
    })
    expect(await read(`/databases/${database}/metrics?window=6h`, '/api')).to.include({ available: true, step: 360 })
  })

  it('GET /api/v1/databases says of a ready database that its volume is almost full', async () => {
    await api.ask('POST', `/api/v1/databases/${database}/deploy`, { token, json: {} })
    const message = 'its volume is 87 % full; raise storageSize or remove data'
    const isSaid = async () => (await read(`/databases/${database}`)).resource.message === message
    await eventually('it says so', isSaid, 60_000)
    const { items } = await read(`/databases?project=${project}`)
    expect(items.map(({ state, message: said }: { state: string; message: string }) => [state, said])).to.deep.equal([
      ['ready', message],
    ])
  })

  it('GET /api/v1/apps says of a ready service that its volume is almost full', async () => {
    const other = (await api.ask('POST', '/api/v1/apps', { token, json: { ...place(), image: 'svc/hello:1' } })).body
      .name
    for (const name of [app, other]) await api.ask('POST', `/api/v1/apps/${name}/deploy`, { token, json: {} })
    const message = 'its volume is 90 % full; raise volumeSize or remove data'
    const says = async (name: string) => {
      const { state, message: said } = await read(`/apps/${name}/status`)
      return `${state}: ${said}`
    }
    await eventually('it says so', async () => (await says(app)) === `ready: ${message}`, 60_000)
    await eventually('the other one is ready', async () => (await says(other)) === 'ready: ', 60_000)
    expect((await read(`/apps/${app}`)).resource.message).to.equal(message)
    const { items } = await read(`/apps?project=${project}`)
    const said = items.map(({ name, message: each }: { name: string; message: string }) => [name, each])
    expect(Object.fromEntries(said)).to.deep.equal({ [app]: message, [other]: '' })
  })

  it("GET /api/v1/operator/metrics tells how svc's own api and worker do", async () => {
    const last = (points: { v: number }[]): number => points.at(-1)?.v ?? Number.NaN
    // Each new environment makes work for the worker and the cluster; a rate needs some of it in both of two scrapes.
    let round = 0
    let madeAt = 0
    const isSeen = async () => {
      if (performance.now() - madeAt > 4_000) {
        madeAt = performance.now()
        round += 1
        await api.ask('POST', `/api/v1/projects/${project}/environments`, { token, json: { environment: `e${round}` } })
      }
      const { series } = await read('/operator/metrics')
      return [series.reconcileTime, series.apiLatency, series.apiRequests, series.statusWrites].every(
        (points) => last(points) > 0,
      )
    }
    await eventually('passes, writes of status and calls of the cluster are seen', isSeen, 90_000)
    const body = await read('/operator/metrics', '/api')
    expect(Object.keys(body.series)).to.have.members([
      'reconcileErrors',
      'reconcileTime',
      'apiLatency',
      'apiRequests',
      'queueDepth',
      'statusWrites',
      'statusSkipped',
    ])
    for (const name of ['reconcileErrors', 'queueDepth', 'statusSkipped'])
      expect(last(body.series[name]), name).to.be.at.least(0)
  })

  it('a worker says when it last did a part of the comparison of all records', async () => {
    const lastDone = async (): Promise<number> => {
      const text = await (await fetch(`http://127.0.0.1:${workerPort}/metrics`)).text()
      return Number(/^svc_resync_timestamp_seconds (\S+)$/m.exec(text)?.[1])
    }
    const before = await lastDone()
    expect(before).to.be.closeTo(Date.now() / 1000, 600)
    await resyncUntil('a part is done', async () => (await lastDone()) > before)
  })

  it('GET /api/v1/usage tells what projects use, and their share', async () => {
    const body = await read('/usage')
    const { cpuAllocatableMillis, memoryAllocatableBytes } = body
    const mine = body.projects.find((each: { project: string }) => each.project === project)
    expect(body.actualAvailable).to.equal(true)
    expect(mine).to.include({ cpuUsingMillis: 3750, memoryUsingBytes: 992 * MiB, storageUsingBytes: 714 * MiB })
    expect(mine.shareOfCpu).to.be.closeTo(3750 / cpuAllocatableMillis, 1e-9)
    expect(mine.shareOfMemory).to.be.closeTo((992 * MiB) / memoryAllocatableBytes, 1e-9)
    expect(body.platform).to.include({ cpuUsingMillis: 4000, memoryUsingBytes: 1008 * MiB })
  })

  it('GET /api/bootstrap tells how many cores are in use', async () => {
    const cores = async () => (await api.ask('GET', '/api/bootstrap', { token })).body.metrics.cpuCores
    await eventually('the cores are known', async () => (await cores()) !== null, 30_000)
    expect(await cores()).to.be.closeTo(4, 0.04)
  })

  it('the address in the configuration of the platform overrides the environment variable', async () => {
    const { client } = await useStack()
    const ref = { type: resourceTypes.platformConfig, namespace: systemNamespace, name: 'platform' }
    const refused = `http://127.0.0.1:${await freePort()}`
    const there = await client.get<PlatformConfig>(ref)
    if (there === undefined) {
      const spec = { prometheusURL: refused } as PlatformConfig['spec'] // the cluster fills in the defaults
      await client.create<PlatformConfig>(ref.type, {
        apiVersion,
        kind: ref.type.kind,
        metadata: { name: 'platform', namespace: systemNamespace },
        spec,
      })
    } else await client.patch(ref, { spec: { prometheusURL: refused } })
    try {
      await eventually(
        'the other address is asked',
        async () => (await read(`/apps/${app}/metrics`)).available === false,
        20_000,
      )
      const body = await read(`/apps/${app}/metrics`)
      expect(body).to.deep.include({ available: false, message: 'the metrics store cannot be reached' })
      expect(body.series).to.deep.equal({ cpu: [], memory: [], network: [], networkIn: [], requests: [], storage: [] })
    } finally {
      if (there === undefined) await client.delete(ref)
      else await client.patch(ref, { spec: { prometheusURL: there.spec.prometheusURL ?? null } })
    }
    await eventually(
      'the store is asked again',
      async () => (await read(`/apps/${app}/metrics`)).available === true,
      20_000,
    )
  })
})
