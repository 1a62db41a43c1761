/** Metrics out of a real store that scrapes a played cluster and svc's own processes. */
import { expect } from 'chai'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { freePort } from '../../one-machine/processes/index.ts'
import { eventually } from '../cluster/eventually.ts'
import { metricsStoreWithinMs } from '../harness/metrics-store.ts'
import { resyncUntil } from '../harness/resync.ts'
import { useStack } from '../harness/stack.ts'
import { type MeasuredWorld, startMeasuredWorld } from './measured-world.ts'
import { answersOfStore } from './metrics-answers.ts'

describe('metrics', function () {
  this.timeout(120_000)
  let world: MeasuredWorld

  before(async function () {
    this.timeout(metricsStoreWithinMs)
    world = await startMeasuredWorld('victoria-metrics')
  })
  after(() => world?.stop())

  answersOfStore(() => world)

  for (const [window, step] of [
    ['1h', 60],
    ['6h', 360],
    ['24h', 1440],
  ] as const) {
    it(`GET /api/apps/{app}/metrics answers a window of ${window} in steps of ${step} s`, async () => {
      const { app, read } = world
      expect(await read(`/apps/${app}/metrics?window=${window}`, '/api')).to.include({ window, step, available: true })
    })
  }

  it('GET /api/v1/apps/{name}/metrics refuses another window', async () => {
    const { api, token, app } = world
    const answer = await api.ask('GET', `/api/v1/apps/${app}/metrics?window=2h`, { token })
    expect([answer.status, answer.body.error]).to.deep.equal([400, 'window must be 15m, 1h, 6h, or 24h'])
  })

  it('GET /api/v1/databases says of a ready database that its volume is almost full', async () => {
    const { api, token, project, database, read } = world
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
    const { api, token, project, app, read } = world
    const other = (
      await api.ask('POST', '/api/v1/apps', {
        token,
        json: { project, environment: 'production', image: 'svc/hello:1' },
      })
    ).body.name
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

  it('a worker says when it last did a part of the comparison of all records', async () => {
    const { workerPort } = world
    const lastDone = async (): Promise<number> => {
      const text = await (await fetch(`http://127.0.0.1:${workerPort}/metrics`)).text()
      return Number(/^svc_resync_timestamp_seconds (\S+)$/m.exec(text)?.[1])
    }
    const before = await lastDone()
    expect(before).to.be.closeTo(Date.now() / 1000, 600)
    await resyncUntil('a part is done', async () => (await lastDone()) > before)
  })

  it('the address in the configuration of the platform overrides the environment variable', async () => {
    const { app, read } = world
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
