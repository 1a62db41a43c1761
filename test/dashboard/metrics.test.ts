/** What pages show of a real metrics store: how svc itself does, and a volume that fills up. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { freePort } from '../../one-machine/processes/index.ts'
import { startExporter, type Exporter } from '../api/sample-exporter.ts'
import { eventually } from '../cluster/eventually.ts'
import { metricsStoreWithinMs, startMetricsStore, type TestMetricsStore } from '../harness/metrics-store.ts'
import { startTestWorker, type TestWorker } from '../harness/worker.ts'
import { violations } from './axe.ts'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

describe('metrics in the dashboard', function () {
  this.timeout(180_000)
  let dashboard: TestDashboard
  let worker: TestWorker
  let exporter: Exporter
  let store: TestMetricsStore
  let project: string
  let view: View
  const service = uniqueName('filling')

  before(async function () {
    this.timeout(metricsStoreWithinMs)
    const [port, workerPort] = [await freePort(), await freePort()]
    // A worker of its own: the shared one has no address for its metrics.
    dashboard = await startTestDashboard({ env: { SVC_PROMETHEUS_URL: `http://127.0.0.1:${port}` } }, async () => {
      worker = await startTestWorker({}, 'temporal/main.ts', { SVC_METRICS_PORT: String(workerPort) })
    })
    project = await dashboard.project('Measured')
    const json = { project, environment: 'production', name: service, image: 'svc/hello:1', volumePath: '/data' }
    await ask('POST', '/apps', { ...json, deploy: true })
    const labels = { namespace: `${project}-production`, persistentvolumeclaim: `${service}-volume` }
    const pod = { namespace: `${project}-production`, pod: `${service}-7d4f9c6b5d-abcde`, container: 'app' }
    exporter = await startExporter([
      { name: 'kubelet_volume_stats_used_bytes', labels, value: 87 },
      { name: 'kubelet_volume_stats_capacity_bytes', labels, value: 100 },
      { name: 'container_memory_working_set_bytes', labels: pod, value: 96 * 1024 * 1024 },
    ])
    const others = { api: `127.0.0.1:${dashboard.port}`, worker: `127.0.0.1:${workerPort}` }
    store = await startMetricsStore({ port, exporter, others })
    view = await dashboard.open(`/services/${service}`)
  })
  after(async () => {
    await dashboard?.stop()
    await worker?.stop()
    await store?.stop()
    await exporter?.stop()
  })
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  const ask = async (method: string, path: string, json?: object) =>
    (await dashboard.ask(method, `/api/v1${path}`, { cookie: await dashboard.signIn('admin'), json })).body

  it('say on the page of a service and in its environment that its volume is almost full, and what all of it uses', async () => {
    const { page } = view
    const says = 'its volume is 87 % full; raise volumeSize or remove data'
    await eventually(
      'the api says so',
      async () => (await ask('GET', `/apps/${service}/status`)).message === says,
      90_000,
    )
    await page.reload()
    await page.getByText(`Running: 1 of 1 copy ready: ${says}.`).waitFor()
    await page.goto(`${dashboard.baseUrl}/projects/${project}`)
    await page.getByText(says).waitFor()
    const usage = page.getByRole('region', { name: 'Usage' })
    await usage.getByRole('radiogroup', { name: 'Window' }).getByText('15m').click()
    await usage
      .getByRole('img', { name: /^Memory: used 96.0 MiB now/ })
      .locator('canvas')
      .waitFor()
    expect(await violations(page)).to.deep.equal([])
  })

  it('draw how the processes of svc do', async () => {
    const { page } = view
    let round = 0
    const isSeen = async () => {
      // Each makes work for the worker and the cluster; a rate needs some of it in both of two scrapes.
      await sleep(4_000)
      await ask('POST', `/projects/${project}/environments`, { environment: `e${(round += 1)}` })
      const { series } = await ask('GET', '/operator/metrics')
      return ['reconcileTime', 'apiLatency'].every((name) => (series?.[name]?.at(-1)?.v ?? 0) > 0)
    }
    await eventually('passes and calls are seen', isSeen, 120_000)
    await page.goto(`${dashboard.baseUrl}/cluster`)
    const panel = page.getByRole('region', { name: 'The processes of svc' })
    // A longer window has its first value once a whole step of it has gone by.
    await panel.getByRole('radiogroup', { name: 'Window' }).getByText('15m').click()
    const chart = (name: RegExp) => panel.getByRole('img', { name }).locator('canvas').waitFor()
    await chart(/^Time of a pass: 95 % within [\d.]+ ms now/)
    await chart(/^Calls of Kubernetes: all [\d.]+\/s now/)
    await chart(/^Wakes that wait for Temporal: all \d+ now/)
    await chart(/^Writes of status: made [\d.]+\/s now.* needless [\d.]+\/s now/)
    await chart(/^Time of a call of Kubernetes: 95 % within [\d.]+ ms now/)
    expect(await violations(page)).to.deep.equal([])
  })
})
