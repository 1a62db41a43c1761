/** What the api answers out of a metrics store, as tests: VictoriaMetrics and Prometheus must say the same. */
import { expect } from 'chai'
import { eventually } from '../cluster/eventually.ts'
import { type MeasuredWorld, MiB } from './measured-world.ts'

/** The value of a series that is constant. */
const steady = (points: { t: number; v: number }[]): number => {
  const values = points.map(({ v }) => v)
  const [first = Number.NaN] = values
  for (const value of values) expect(value).to.be.closeTo(first, Math.abs(first) / 100)
  return Math.round(first * 1000) / 1000
}
const steadyOf = (series: Record<string, { t: number; v: number }[]>) =>
  Object.fromEntries(Object.entries(series).map(([name, points]) => [name, steady(points)]))

/** @param world the one of the suite, which is there once a test runs */
export function answersOfStore(world: () => MeasuredWorld): void {
  answersOfCharts(world)
  answersOfTotals(world)
}

function answersOfCharts(world: () => MeasuredWorld): void {
  it('GET /api/v1/apps/{name}/metrics tells what the copies of the service use, and of no other', async () => {
    const { app, read } = world()
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

  it('GET /api/v1/projects/{name}/metrics sums up the project, or one environment of it', async () => {
    const { api, token, project, read } = world()
    const whole = await read(`/projects/${project}/metrics`)
    expect(steadyOf(whole.series)).to.deep.equal({ cpu: 3.75, memory: 992 * MiB, network: 1910, networkIn: 2620 })
    const staging = await read(`/projects/${project}/metrics?environment=staging`, '/api')
    expect(steadyOf(staging.series)).to.deep.equal({ cpu: 2, memory: 256 * MiB, network: 100, networkIn: 200 })
    const missing = await api.ask('GET', `/api/v1/projects/${project}/metrics?environment=nowhere`, { token })
    expect([missing.status, missing.body.error]).to.deep.equal([400, 'the project has no environment nowhere'])
  })

  it('GET /api/v1/cluster/metrics sums up all pods; those that share the network of their node are not counted for it', async () => {
    const { read } = world()
    const { series } = await read('/cluster/metrics')
    expect(steadyOf(series)).to.deep.equal({ cpu: 4, memory: 1008 * MiB, network: 1910, networkIn: 2620 })
    expect(await read('/cluster/metrics', '/api')).to.include({ available: true })
  })

  it('GET /api/v1/databases/{name}/metrics tells the storage of a database besides', async () => {
    const { database, read } = world()
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
}

function answersOfTotals(world: () => MeasuredWorld): void {
  it("GET /api/v1/operator/metrics tells how svc's own api and worker do", async () => {
    const { api, token, project, read } = world()
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

  it('GET /api/v1/usage tells what projects use, and their share', async () => {
    const { project, read } = world()
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
    const { api, token } = world()
    const cores = async () => (await api.ask('GET', '/api/bootstrap', { token })).body.metrics.cpuCores
    await eventually('the cores are known', async () => (await cores()) !== null, 30_000)
    expect(await cores()).to.be.closeTo(4, 0.04)
  })
}
