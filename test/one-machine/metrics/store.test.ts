/** The metrics store of a start: what it is set to read, and that it keeps that over stops and kills. */
import { spawn } from 'node:child_process'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { durationSeconds } from '../../../contract/fields/logs.ts'
import { metricsWindows } from '../../../contract/limits.ts'
import { serviceQueries } from '../../../kinds/metrics/queries.ts'
import { scrapeFile, seriesRead, type Target } from '../../../one-machine/metrics/scrape.ts'
import { createMetricsStore, type MetricsStore } from '../../../one-machine/metrics/store.ts'
import { chooseMetricsStore } from '../../../one-machine/start/metrics.ts'
import type { ClusterKind } from '../../../one-machine/start/options.ts'
import { isListening } from '../../../one-machine/processes/ports.ts'
import { createPrometheus } from '../../../outside/metrics/prometheus.ts'
import { startExporter, type Exporter, type Sample } from '../../api/sample-exporter.ts'
import { eventually } from '../../cluster/eventually.ts'
import { testServer } from '../../harness/servers.ts'
import { temporaryFolder } from '../temporary.ts'

const module = new URL('../../../one-machine/metrics/store.ts', import.meta.url).href
const step = 15
/** A target is read first within its 15 s. */
const readWithinMs = 60_000
const silent = { progress: () => undefined }

const pod = { namespace: 'shop-production', pod: 'web-7d4f9c6b5d-abcde', container: 'app' }
const samples: Sample[] = [
  { name: 'container_cpu_usage_seconds_total', labels: pod, perSecond: 0.5 },
  { name: 'container_memory_working_set_bytes', labels: pod, value: 104_857_600 },
  { name: 'container_memory_working_set_bytes', labels: { id: '/' }, value: 1 },
  { name: 'container_processes', labels: pod, value: 7 },
]

describe('the file of what the metrics store reads', () => {
  const kubelet: Target = {
    job: 'kubelet',
    url: 'https://10.70.0.2:10250/metrics/cadvisor',
    series: seriesRead.cadvisor,
    podsOnly: true,
    tls: { ca: '/pki/ca.crt', login: { certificate: '/pki/metrics.crt', key: '/pki/metrics.key' } },
  }

  it('names a kubelet with its authority, a login, and the series of pods that are asked for', () => {
    const file = JSON.parse(scrapeFile([kubelet])) as { scrape_configs: unknown }
    expect(file.scrape_configs).to.deep.equal([
      {
        job_name: 'kubelet',
        scheme: 'https',
        metrics_path: '/metrics/cadvisor',
        static_configs: [{ targets: ['10.70.0.2:10250'] }],
        tls_config: { ca_file: '/pki/ca.crt', cert_file: '/pki/metrics.crt', key_file: '/pki/metrics.key' },
        honor_timestamps: true,
        metric_relabel_configs: [
          { source_labels: ['__name__'], regex: seriesRead.cadvisor, action: 'keep' },
          { source_labels: ['pod'], regex: '.+', action: 'keep' },
        ],
      },
    ])
  })

  it('lets in every series of the container numbers that the queries ask for, and of svc itself', () => {
    const asked = JSON.stringify(serviceQueries('n', 'a', step)).match(/container_\w+/g) ?? []
    expect(asked).to.have.length.above(3)
    for (const name of asked) expect(name).to.match(new RegExp(`^(${seriesRead.cadvisor})$`))
  })
})

describe('which metrics store a start has', () => {
  const folder = temporaryFolder()
  const choose = async (cluster: ClusterKind, env: NodeJS.ProcessEnv = {}): Promise<string | undefined> => {
    const store = await chooseMetricsStore(cluster, folder(), env)
    await store?.stop()
    return store?.address
  }

  it('is one of its own for its own clusters, with a port before it runs', async () => {
    for (const cluster of ['node', 'simulated'] as const)
      expect(await choose(cluster)).to.match(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(await choose('simulated', { SVC_PROMETHEUS_URL: '' })).to.match(/^http:/)
  })

  it('is none where the environment names one, and none for the cluster of a user', async () => {
    expect(await choose('simulated', { SVC_PROMETHEUS_URL: 'http://metrics.example:9090' })).to.equal(undefined)
    expect(await choose('kubeconfig')).to.equal(undefined)
    expect(readdirSync(folder())).to.deep.equal([])
  })
})

describe('the metrics store of a start', function () {
  this.timeout(2 * readWithinMs)
  const folder = temporaryFolder()
  let exporter: Exporter
  let store: MetricsStore
  before(() => testServer('victoria-metrics'))
  beforeEach(async () => {
    exporter = await startExporter(samples)
    store = await createMetricsStore(folder())
  })
  afterEach(async () => {
    await store.stop()
    await exporter.stop()
  })

  const targets = (): Target[] => [
    { job: 'kubelet', url: `http://${exporter.target}/metrics`, series: seriesRead.cadvisor, podsOnly: true },
  ]
  const port = (): number => Number(new URL(store.address).port)
  const metrics = () => createPrometheus({ address: () => store.address })
  const series = async (name: 'cpu' | 'memory') => {
    const end = Math.floor(Date.now() / 1000 / step) * step
    const query = serviceQueries(pod.namespace, 'web', step)[name] ?? ''
    return await metrics().range(query, { start: end - 900, end, step })
  }
  /** The store makes the series of one scrape visible one by one, so each of the two is waited for. */
  const untilRead = async () => {
    for (const name of ['cpu', 'memory'] as const)
      await eventually(`${name} was read`, async () => (await series(name)).length > 50, readWithinMs)
  }
  const pidOfStore = (): number => {
    const [record] = JSON.parse(readFileSync(join(folder(), 'run.json'), 'utf8')) as { pid: number }[]
    return record?.pid ?? 0
  }

  it('answers what the pods used, and keeps nothing that is never asked for', async () => {
    await store.make(targets(), silent)
    await untilRead()
    for (const { v } of await series('cpu')) expect(v).to.be.closeTo(0.5, 0.01)
    for (const { v } of await series('memory')) expect(v).to.equal(104_857_600)
    const names = () => metrics().instant('count({job="kubelet",pod!=""}) by (__name__)')
    await eventually('both series are in the index', async () => (await names()).length >= 2, readWithinMs)
    expect(await names()).to.have.length(2)
    expect(await metrics().instant('container_memory_working_set_bytes{id="/"}')).to.deep.equal([])
  })

  it('keeps twice the longest window, and no more', async () => {
    await store.make([], silent)
    const said = await (await fetch(`${store.address}/metrics`)).text()
    const kept = durationSeconds(/name="retentionPeriod", ?value="(\w+)"/.exec(said)?.[1] ?? '')
    expect(kept).to.equal(2 * (durationSeconds(metricsWindows.at(-1) ?? '') ?? 0))
  })

  it('has what it read again after a stop, at the same address', async () => {
    await store.make(targets(), silent)
    await untilRead()
    const { address } = store
    await store.stop()
    expect(await isListening(port())).to.equal(false)
    store = await createMetricsStore(folder())
    expect(store.address).to.equal(address)
    await store.make([], silent)
    expect(await series('cpu')).to.have.length.above(50)
  })

  it('comes back after a kill, and goes on reading', async () => {
    await store.make(targets(), silent)
    await untilRead()
    const killed = pidOfStore()
    process.kill(killed, 'SIGKILL')
    await eventually('another one answers', async () => pidOfStore() !== killed && (await isListening(port())), 30_000)
    await eventually('it reads again', async () => (await series('memory')).length > 0, readWithinMs)
  })

  it('takes another port where the last one is taken, and any where the file is cut short', async () => {
    await store.make([], silent)
    const second = await createMetricsStore(join(folder(), 'other'))
    await second.stop()
    writeFileSync(join(folder(), 'other/port.json'), String(port()))
    const third = await createMetricsStore(join(folder(), 'other'))
    expect(third.address).to.not.equal(store.address)
    await third.stop()
    writeFileSync(join(folder(), 'other/port.json'), '{')
    await (await createMetricsStore(join(folder(), 'other'))).stop()
  })

  it('does not start once it was stopped', async () => {
    await store.stop()
    const late = await store.make([], silent).catch((error: Error) => error.message)
    expect(late).to.equal('victoria-metrics is not started: everything was stopped')
    expect(await isListening(port())).to.equal(false)
  })

  it('of a killed start is in the way of none that follows', async function () {
    if (process.platform !== 'linux') this.skip() // on other systems the next start stops it
    const place = join(folder(), 'killed')
    const code = `import { createMetricsStore } from ${JSON.stringify(module)}
      const store = await createMetricsStore(${JSON.stringify(place)})
      await store.make([], { progress: () => undefined })
      console.log('made', store.address)
      setInterval(() => undefined, 1000)`
    const start = spawn(process.execPath, ['--input-type=module-typescript', '-e', code])
    let said = ''
    start.stdout.on('data', (text) => (said += String(text)))
    start.stderr.on('data', (text) => (said += String(text)))
    await eventually('it was made', async () => said.includes('made') || start.exitCode !== null, 60_000)
    const [, address = ''] = /^made (\S+)/m.exec(said) ?? []
    expect(address, said).to.not.equal('')
    start.kill('SIGKILL')
    await eventually('it ended as well', async () => !(await isListening(Number(new URL(address).port))), 30_000)
    const next = await createMetricsStore(place)
    expect(next.address).to.equal(address)
    await next.make([], silent)
    await next.stop()
  })
})
