/** Who asked for a deletion, as its workflow runs say it. */
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { View } from '../../contract/operations.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { eventually } from '../cluster/eventually.ts'
import { createApp, createProject, deploy, type TestRecords, untilState } from '../harness/records.ts'
import { attemptIn, openWorld, untilSetUp } from '../workflows/service-world.ts'
import { startTestApi, type TestApi } from './test-api.ts'

type Run = View<'runs.list'>['items'][number]

describe('the run of a deletion', function () {
  this.timeout(90_000)
  let records: TestRecords
  let project: Project
  let api: TestApi
  let token: string
  let actor: string

  before(async function () {
    this.timeout(120_000)
    ;({ records, project } = await openWorld())
    api = await startTestApi()
    token = await api.token({ role: 'admin' })
    actor = `token:${token.split('_')[1]}`
  })
  after(async () => {
    await api?.stop()
  })

  const running = async (of: Project, environment = 'production'): Promise<App> => {
    const app = await createApp(records, of, { environment })
    await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
    return app
  }
  const ask = async (method: 'DELETE' | 'POST', path: string, json: object): Promise<void> => {
    const answer = await api.ask(method, path, { token, json })
    expect(answer.status, answer.text).to.equal(200)
  }
  /** The newest run that did it, after `since`; lists of runs lag a little. */
  const runOf = async (kind: string, resource: string, action: string, since = 0): Promise<Run> => {
    let run: Run | undefined
    const isIt = (each: Run) =>
      each.action === action && each.outcome === 'ended' && Date.parse(each.endedAt ?? '') >= since
    await eventually(
      `the run of ${kind} ${resource} is listed`,
      async () => {
        const { body } = await api.ask('GET', `/api/v1/runs?${new URLSearchParams({ kind, resource }).toString()}`, {
          token,
        })
        run = (body as View<'runs.list'>).items.find(isIt)
        return run !== undefined
      },
      40_000,
    )
    return run ?? expect.fail(resource)
  }

  it('of a service says who asked the api, not who deployed it', async () => {
    const { name } = (await running(project)).metadata
    await ask('DELETE', `/api/v1/apps/${name}`, { confirmName: name })
    expect((await runOf('app', name, 'remove')).actor).to.equal(actor)
  })

  it('of a service says kubectl where that did it', async () => {
    const { name, uid = '' } = (await running(project)).metadata
    await records.apps.remove(name, uid)
    expect((await runOf('app', name, 'remove')).actor).to.equal('kubectl')
  })

  it('of a bucket and of a database say who asked the api', async () => {
    const place = { project: project.metadata.name, environment: 'production' }
    for (const [kind, path, fields] of [
      ['object-store', 'object-stores', { engine: 'Local', bucket: 'media' }],
      ['database', 'databases', { engine: 'redis' }],
    ] as const) {
      const made = await api.ask('POST', `/api/v1/${path}`, { token, json: { ...place, ...fields, deploy: true } })
      expect(made.status, made.text).to.equal(200)
      const { name } = made.body as { name: string }
      await eventually('it is held', async () => {
        const { cache } = kind === 'database' ? records.databases : records.objectStores
        return (cache.get(name, 'svc-system')?.metadata.finalizers ?? []).length > 0
      })
      await ask('DELETE', `/api/v1/${path}/${name}`, { confirmName: name, backupFirst: false })
      expect((await runOf(kind, name, 'remove')).actor, kind).to.equal(actor)
    }
  })

  it('of an environment and of what was in it say who archived it', async () => {
    const { name } = project.metadata
    const since = Date.now()
    await ask('POST', `/api/v1/projects/${name}/environments`, { environment: 'staging' })
    const namespace = namespaceOf(name, 'staging')
    await eventually('it is set up', async () => {
      return (await records.client.get({ type: coreTypes.namespace, name: namespace })) !== undefined
    })
    expect((await runOf('project', name, 'settle', since)).actor).to.equal(actor)
    const app = await running(project, 'staging')
    await ask('POST', `/api/v1/projects/${name}/environments/archive`, {
      environment: 'staging',
      confirmName: 'staging',
    })
    expect((await runOf('app', app.metadata.name, 'remove')).actor).to.equal(actor)
  })

  it('of a project and of what was in it say who deleted it', async () => {
    const going = await createProject(records)
    await untilSetUp(records, going)
    const app = await running(going)
    const { name } = going.metadata
    await ask('DELETE', `/api/v1/projects/${name}`, { confirmName: going.spec.displayName || name })
    expect((await runOf('app', app.metadata.name, 'remove')).actor).to.equal(actor)
    expect((await runOf('project', name, 'remove')).actor).to.equal(actor)
  })
})
