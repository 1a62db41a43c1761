/** The schedules of a function as callers see them, and runs by hand. */
import type { V1ConfigMap } from '@kubernetes/client-node'
import { expect } from 'chai'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { functionRunsName } from '../../kinds/apps/names.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { noteRun } from '../../records/apps/function-runs.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type TestApi } from './test-api.ts'

describe('Schedules of a function', () => {
  let api: TestApi
  let token: string
  let name: string
  let begun: string[] = []
  let run: () => Promise<boolean> = async () => true

  const nightly = { name: 'nightly', schedule: '0 3 * * *', path: '/jobs', payload: '{"key":"secret"}' }
  const ask = (method: string, path: string, json?: object) =>
    api.ask(method, `/api/v1/apps/${name}/schedules${path}`, { token, ...(json === undefined ? {} : { json }) })
  const items = async () => (await ask('GET', '')).body.items
  const refused = async (schedule: string) => {
    const { status, body } = await ask('POST', `/${schedule}/run`, {})
    return [status, body.error]
  }

  before(async function () {
    this.timeout(60_000)
    const scheduleStarts = {
      run: async (app: string, schedule: string, planned: Date) => {
        begun.push(`${app} ${schedule} ${planned.toISOString()}`)
        return run()
      },
    }
    api = await startTestApi({ scheduleStarts, clock: () => Date.parse('2026-11-23T12:00:00.700Z') })
    token = await api.token({ name: 'schedules', role: 'admin' })
    const json = (path: string, body: object) => api.ask('POST', `/api/v1${path}`, { token, json: body })
    const { project } = (await json('/projects', {})).body
    const fn = { source: 'function', runtime: 'node', code: 'export default 1', functionTriggers: [nightly] }
    name = (await json('/apps', { project, environment: 'production', ...fn })).body.name
  })
  beforeEach(() => {
    begun = []
    run = async () => true
  })
  after(async () => {
    await api.stop()
  })

  const save = async (functionTriggers: object[] | '') =>
    expect(
      (await api.ask('PATCH', `/api/v1/apps/${name}`, { token, json: { functionTriggers } })).status,
      'saved',
    ).to.equal(200)

  /** As a worker leaves it: the release of the newest deploy runs. */
  const roll = async (): Promise<App> => {
    const { client } = await useStack()
    await api.ask('POST', `/api/v1/apps/${name}/deploy`, { token, json: {} })
    const ref = { type: resourceTypes.app, namespace: systemNamespace, name }
    const app = await client.get<App>(ref)
    if (app === undefined) throw new Error(`no service ${name}`)
    const release = viewOf(app).attempt?.record ?? ''
    await client.patch(ref, { status: { release } }, { subresource: 'status' })
    await eventually('the cache has it', async () => (await items())[0]?.state === 'active')
    return app
  }

  it('start with a deploy (GET /api/apps/{app}/schedules), and run by hand not before', async () => {
    expect(await items()).to.deep.equal([
      { name: 'nightly', schedule: '0 3 * * *', path: '/jobs', state: 'starts', next: [], failures: 0, runs: [] },
    ])
    expect(await refused('nightly')).to.deep.equal([400, 'deploy the service to run this schedule'])
    expect(await refused('other')).to.deep.equal([404, 'schedule not found'])
    expect(begun).to.deep.equal([])
  })

  it('may have the name of what every object has', async () => {
    await save([{ ...nightly, name: 'constructor' }])
    await eventually('it is saved', async () => (await items())?.[0]?.name === 'constructor')
    expect((await items())[0])
      .to.include({ state: 'starts', failures: 0 })
      .and.deep.include({ runs: [] })
    await save([nightly])
    await eventually('it is saved', async () => (await items())?.[0]?.name === 'nightly')
  })

  it('show what runs, what a deploy would change, the last runs and the next', async () => {
    const app = await roll()
    const { client } = await useStack()
    const noted = { id: 'a', release: 'r', phase: 'Succeeded', lateMs: 1_500, ms: 20, status: 204 } as const
    const of = { trigger: 'nightly', schedule: nightly.schedule }
    await noteRun(client, app, of, { ...noted, planned: '2026-11-20T03:00:00.000Z', message: 'answered 204' })
    const failed = { phase: 'Failed', status: 500, message: 'answered 500: no luck' } as const
    await noteRun(client, app, of, { ...noted, ...failed, id: 'b', planned: '2026-11-22T03:00:00.000Z' })
    const [shown] = await items()
    expect(shown.next).to.deep.equal([24, 25, 26, 27, 28].map((day) => `2026-11-${day}T03:00:00.000Z`))
    expect(shown.failures, 'one failed, one was missed').to.equal(2)
    expect(shown.runs).to.deep.equal([
      {
        plannedAt: '2026-11-22T03:00:00.000Z',
        phase: 'Failed',
        startedAt: '2026-11-22T03:00:01.500Z',
        ms: 20,
        status: 500,
        message: 'answered 500: no luck',
      },
      {
        plannedAt: '2026-11-21T03:00:00.000Z',
        phase: 'Missed',
        message: 'no run is known: svc or Temporal was away, the schedule was paused, or the run was ended by hand',
      },
      {
        plannedAt: '2026-11-20T03:00:00.000Z',
        phase: 'Succeeded',
        startedAt: '2026-11-20T03:00:01.500Z',
        ms: 20,
        status: 204,
        message: 'answered 204',
      },
    ])
    expect(JSON.stringify(shown)).not.to.include('secret')

    const kept = { type: coreTypes.configMap, namespace: systemNamespace, name: functionRunsName(name) }
    const [one] = JSON.parse((await client.get<Sent<V1ConfigMap>>(kept))?.data?.['nightly'] ?? '[]') as object[]
    const edited = [null, 5, { ...one, planned: 'yesterday' }, { ...one, phase: 'Odd' }, one]
    await client.patch(kept, { data: { nightly: JSON.stringify(edited) } })
    expect((await items())[0].runs, 'without what kubectl made of the others').to.deep.equal(shown.runs.slice(-1))

    const states = async () => (await items()).map((it: { name: string; state: string }) => `${it.name} ${it.state}`)
    await save([
      { ...nightly, schedule: '@daily' },
      { name: 'added', schedule: '@hourly' },
    ])
    await eventually('a change', async () => (await states()).join() === 'added starts,nightly changes')
    await save('')
    await eventually('an end', async () => (await states()).join() === 'nightly ends')
  })

  it('run by hand at once (POST /api/apps/{app}/schedules/{schedule}/run), as they were deployed', async () => {
    const { status, body } = await ask('POST', '/nightly/run', {})
    const plannedAt = '2026-11-23T12:00:00.000Z'
    expect([status, body]).to.deep.equal([200, { ok: true, plannedAt }])
    expect(begun).to.deep.equal([`${name} nightly ${plannedAt}`])
    run = async () => false
    expect(await refused('nightly')).to.deep.equal([400, 'the schedule is not set up yet, or its date never comes'])
    run = () => Promise.reject(new Error('14 UNAVAILABLE'))
    expect(await refused('nightly')).to.deep.equal([500, 'the run could not be begun; try again'])
  })

  it('are none of a service that is no function', async () => {
    const before = name
    const made = await api.ask('POST', '/api/v1/projects', { token, json: {} })
    const web = { project: made.body.project, environment: 'production', image: 'svc/hello:1' }
    name = (await api.ask('POST', '/api/v1/apps', { token, json: web })).body.name
    expect(await items()).to.deep.equal([])
    name = before
  })
})
