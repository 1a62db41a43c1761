/** A host routes to one service, in whatever order services and the platform request it, by the api or with kubectl. */
import { expect } from 'chai'
import type { V1Ingress } from '@kubernetes/client-node'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { appState } from '../../kinds/apps/state.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { saveDomain } from '../../records/settings/domain.ts'
import { startTestApi, type TestApi } from '../api/test-api.ts'
import { eventually } from '../cluster/eventually.ts'
import {
  createApp,
  createProject,
  deploy,
  type TestRecords,
  until,
  untilState,
  useRecords,
} from '../harness/records.ts'
import { startTestWorker, type TestWorker, withoutWorker } from '../harness/worker.ts'
import { edit, untilSetUp } from './service-world.ts'

const waitMs = 60_000
const root = 'owned.test'
const domain = 'given.test'
const dashboard = `svc.${root}`

const routes = (host: string, ...rules: string[]): AppSpec['ingress'] => ({
  host,
  path: '/',
  tlsEnabled: false,
  dnsVerification: false,
  rules: rules.map((rule) => ({ host: rule, path: '/api/login' })),
})

describe('a host', function () {
  this.timeout(240_000)
  let records: TestRecords
  let worker: TestWorker
  let api: TestApi
  let [mine, theirs]: [Project?, Project?] = []

  before(async () => {
    records = await useRecords()
    await withoutWorker()
    worker = await startTestWorker({ attemptMs: 60_000 }, 'temporal/main.ts', { SVC_AUTO_HOSTS: domain })
    api = await startTestApi()
    mine = await createProject(records)
    theirs = await createProject(records)
    await Promise.all([untilSetUp(records, mine), untilSetUp(records, theirs)])
  })
  afterEach(async () =>
    records.client.delete({ type: resourceTypes.platformConfig, namespace: systemNamespace, name: 'platform' }),
  )
  after(async () => {
    await api.stop()
    await worker.stop()
  })

  const ours = (): Project => mine ?? expect.fail('no project')
  const others = (): Project => theirs ?? expect.fail('no project')
  const platform = (rootDomain = root) =>
    saveDomain({ client: records.client }, { rootDomain, dashboardExposure: 'ingress' })
  const hostsOf = async (app: App): Promise<string[]> => {
    const ref = { type: coreTypes.ingress, namespace: targetNamespace(app.spec), name: app.metadata.name }
    const ingress = await records.client.get<Sent<V1Ingress>>(ref)
    return (ingress?.spec?.rules ?? []).map((rule) => rule.host ?? '')
  }
  const untilLeads = (app: App, hosts: string[]) =>
    eventually(
      `${app.metadata.name} leads to ${hosts.join()}`,
      async () => (await hostsOf(app)).join() === hosts.join(),
      waitMs,
    )
  const waits = (app: App, message: string) =>
    until(records.apps, app, (record) => appState(record ?? app).message === message, message)
  const serve = async (project: Project, ingress: AppSpec['ingress']): Promise<App> => {
    const app = await createApp(records, project, { ingress })
    await deploy(records, app)
    return app
  }
  const up = async (project: Project, ingress: AppSpec['ingress']): Promise<App> =>
    untilState(records, await serve(project, ingress), 'ready')
  const givenTo = (app: App): string => `${app.metadata.name}-${app.spec.project}.${domain}`
  const fresh = (): string => `h${Date.now().toString(36)}.test`

  it("of the dashboard is no service's, asked for before or after, in host or rules, until the platform gives it up", async () => {
    const [before, within] = [await up(ours(), routes(dashboard)), await up(others(), routes(fresh(), root))]
    expect(await hostsOf(before)).to.deep.equal([dashboard])
    await platform()
    await waits(before, `host ${dashboard} belongs to the platform`)
    await waits(within, `host ${root} belongs to the platform`)
    await untilLeads(before, [])
    await untilLeads(within, [within.spec.ingress.host])
    const after = await serve(ours(), routes(fresh(), dashboard))
    await waits(after, `host ${dashboard} belongs to the platform`)
    expect(await hostsOf(after)).to.deep.equal([])
    const edited = await up(ours(), routes(fresh()))
    await edit(records, edited, () => ({ ingress: routes(dashboard) }))
    await waits(edited, `host ${dashboard} belongs to the platform`)
    expect(await hostsOf(edited)).not.to.include(dashboard)
    for (const app of [after, edited]) await edit(records, app, () => ({ ingress: routes('') }))
    await records.client.delete({ type: resourceTypes.platformConfig, namespace: systemNamespace, name: 'platform' })
    await untilLeads(before, [dashboard])
    await untilState(records, before, 'ready')
  })

  it('of the dashboard is taken also from a service whose newest deploy has failed', async () => {
    const app = await up(ours(), routes('svc.failed.test'))
    // The first crash ends the attempt: the simulated node takes an unbounded time for a second one.
    const crashing = await edit(records, app, ({ deploy: settings }) => ({
      source: { image: { image: 'svc/hello:crash' } },
      deploy: { ...settings, failureThreshold: 1 },
    }))
    await deploy(records, crashing ?? app)
    await untilState(records, app, 'failed')
    await platform('failed.test')
    await untilLeads(app, [])
  })

  it('that is given to a service is no other one, made before or after, in host or rules', async () => {
    const given = await up(others(), routes(''))
    expect(await hostsOf(given)).to.deep.equal([givenTo(given)])
    const [host, rule] = [
      await serve(ours(), routes(givenTo(given))),
      await serve(ours(), routes(fresh(), givenTo(given))),
    ]
    for (const app of [host, rule]) await waits(app, `host ${givenTo(given)} is kept for another service`)
    const future = `later-${others().metadata.name}.${domain}`
    const early = await serve(ours(), routes(future))
    await waits(early, `host ${future} is kept for another service`)
    for (const app of [host, rule, early]) expect(await hostsOf(app)).to.deep.equal([])
    expect(await hostsOf(given)).to.deep.equal([givenTo(given)])
  })

  it("that leads to a service stays there when an older one asks for it with kubectl, and is the older one's once it is free", async () => {
    const older = await up(ours(), routes(''))
    await new Promise((resolve) => setTimeout(resolve, 1_100)) // creation times have whole seconds
    const host = fresh()
    const younger = await up(others(), routes(host))
    await edit(records, older, () => ({ ingress: routes('', host) }))
    await waits(older, `host ${host} belongs to another service`)
    expect(await hostsOf(younger)).to.deep.equal([host])
    await edit(records, younger, () => ({ ingress: routes(fresh()) }))
    await untilLeads(older, [givenTo(older), host])
  })

  it('that two ask for at the same moment leads to one', async () => {
    const host = fresh()
    const both = await Promise.all([serve(ours(), routes(host)), serve(others(), routes(host))])
    await eventually(
      'one is up and the other waits',
      async () => {
        const said = both.map((app) => appState(records.apps.cache.get(app.metadata.name, systemNamespace) ?? app))
        return (
          said.some(({ state }) => state === 'ready') &&
          said.some(({ message }) => message === `host ${host} belongs to another service`)
        )
      },
      waitMs,
    )
    const leading = await Promise.all(both.map(hostsOf))
    expect(leading.flat()).to.deep.equal([host])
  })

  it("that is not a service's own is refused to every caller of the api, without naming its owner", async () => {
    const given = await up(others(), routes(''))
    const host = fresh()
    const taken = await up(others(), routes(host))
    await platform()
    const web = await createApp(records, ours())
    const admin = { token: await api.token({ role: 'admin' }) }
    const project = {
      token: await api.token({ scope: 'project', project: ours().metadata.name, environment: 'production' }),
    }
    const rows: [string, string][] = [
      [dashboard, 'this host belongs to the platform'],
      [root, 'this host belongs to the platform'],
      [givenTo(given), 'this host is kept for another service'],
      [host, 'this host is used by another service'],
    ]
    await eventually(
      'the cache of the api has it',
      async () => (await save(project, web, dashboard)).status === 400,
      waitMs,
    )
    for (const [wanted, error] of rows)
      for (const caller of [admin, project]) {
        const answer = await save(caller, web, wanted)
        expect([wanted, answer.status, answer.text]).to.deep.equal([
          wanted,
          400,
          JSON.stringify({ error, code: 'invalid_request' }),
        ])
        expect(answer.text).not.to.include(taken.metadata.name)
      }
    const create = { project: ours().metadata.name, environment: 'production', image: 'svc/hello:1', host: dashboard }
    expect((await api.ask('POST', '/api/v1/apps', { ...admin, json: create })).text).to.include(
      'this host belongs to the platform',
    )
  })

  const save = (as: { token: string }, app: App, host: string) =>
    api.ask('PATCH', `/api/v1/apps/${app.metadata.name}`, { ...as, json: { host } })
})
