/** Deployments of services: history, rollback, retry, and the log of each attempt. */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { pendingChangesOf } from '../../kinds/provision/draft.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { attemptLogName, attemptLogPurpose } from '../../records/store/attempt-history.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { acceptDeploy } from '../../records/apps/accept-deploy.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { forgetRecords } from '../harness/forget-records.ts'
import { startTestApi, type TestApi } from './test-api.ts'

describe('Deployments of a service', () => {
  let api: TestApi
  let token: string
  let project: string

  before(async function () {
    this.timeout(60_000)
    api = await startTestApi()
    token = await api.token({ name: 'deployments', role: 'admin' })
    project = (await post('/projects')).body.project
  })
  after(async () => {
    await api.stop()
    await forgetRecords()
  })

  const post = (path: string, json: object = {}, as = token) => api.ask('POST', `/api/v1${path}`, { token: as, json })
  const get = (path: string, as = token) => api.ask('GET', `/api/v1${path}`, { token: as })
  const patch = (name: string, json: object) => api.ask('PATCH', `/api/v1/apps/${name}`, { token, json })
  const create = async (fields: object = {}): Promise<string> =>
    (await post('/apps', { project, environment: 'production', image: 'svc/hello:1', ...fields })).body.name
  const deployed = () => create({ deploy: true })
  const items = async (name: string) => (await get(`/apps/${name}/deployments`)).body.items
  const record = async (name: string): Promise<App> => {
    const { client } = await useStack()
    const app = await client.get<App>({ type: resourceTypes.app, namespace: systemNamespace, name })
    if (app === undefined) throw new Error(`no service ${name}`)
    return app
  }
  /** The log of an attempt, as the worker keeps it. */
  const keepLog = async (id: string, app: string, steps: string): Promise<void> => {
    const { client } = await useStack()
    await client.create(coreTypes.configMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: attemptLogName(id),
        namespace: systemNamespace,
        labels: { [labels.purpose]: attemptLogPurpose, [labels.app]: app },
      },
      data: { steps },
    })
  }
  /** Writes a status as the worker does. */
  const observe = async (name: string, status: object): Promise<void> => {
    const { client } = await useStack()
    const app = await record(name)
    const written = await client.patch<App>(
      { type: resourceTypes.app, namespace: systemNamespace, name },
      { status: { observedIntent: viewOf(app).intent, acceptedIntent: viewOf(app).intent, ...status } },
      { subresource: 'status' },
    )
    api.needs.caches.apps.put(written)
  }

  it('GET /apps/{name}/deployments lists the newest first, at most twelve, without the active record', async () => {
    const name = await deployed()
    for (let count = 2; count <= 14; count += 1)
      expect((await patch(name, { image: `svc/hello:${count}`, deploy: true })).status).to.equal(200)
    const { client } = await useStack()
    const active = {
      apiVersion,
      kind: resourceTypes.deployment.kind,
      metadata: { name: `${name}-active`, namespace: systemNamespace },
      spec: { app: name, project, environment: 'production', image: 'x' },
    }
    await client.create(resourceTypes.deployment, active)
    await eventually(
      'the active record is seen',
      () => api.needs.caches.deployments.get(`${name}-active`, systemNamespace) !== undefined,
    )
    const images = (await items(name)).map(({ image }: { image: string }) => image)
    expect(images).to.deep.equal(Array.from({ length: 12 }, (_, index) => `svc/hello:${14 - index}`))
  })

  it('GET /apps/{name}/deployments says how each ended and who asked for it, the latter not to viewers', async () => {
    const name = await deployed()
    const [{ id: retried }] = await items(name)
    const steps = ['10:00:00Z accepted: x', '10:00:05Z Failed: x', '10:01:00Z Succeeded: x']
    await keepLog(retried, name, steps.map((step) => `2026-11-22T${step}`).join('\n'))
    await patch(name, { image: 'svc/hello:2', deploy: true })
    const [{ id: unknown }] = await items(name)
    await patch(name, { image: 'svc/hello:3', deploy: true })
    const [{ id: newest }] = await items(name)
    const outcomes = async () => (await items(name)).map(({ outcome }: { outcome?: string }) => outcome)
    expect(await outcomes()).to.deep.equal(['Running', undefined, 'Succeeded'])
    await observe(name, { lastAttempt: { id: newest, phase: 'Failed', summary: 'no copy got ready' } })
    await keepLog(unknown, name, `2026-11-22T11:00:00Z Failed: superseded by ${newest}`)
    expect(await outcomes()).to.deep.equal(['Failed', 'Failed', 'Succeeded'])
    const [seen, before, first] = await items(name)
    expect([seen.reason, before.reason]).to.deep.equal(['no copy got ready', `superseded by ${newest}`])
    expect(first).not.to.have.property('reason')
    expect(seen.requestedBy).to.match(/^token:[a-z0-9]+$/)
    expect(seen.actor, 'as the record has it').to.equal('Dashboard')
    const viewer = await api.token({ name: 'deployments-viewer', role: 'viewer' })
    const [shown] = (await get(`/apps/${name}/deployments`, viewer)).body.items
    expect(shown).to.include({ outcome: 'Failed' }).and.not.to.have.any.keys('requestedBy', 'reason')
  })

  it('GET /apps/{name}/deployments/{id}/logs begins with who asked, also while it runs and once it was superseded', async () => {
    const name = await deployed()
    const [{ id: before }] = await items(name)
    const logOf = async (id: string): Promise<string[]> =>
      (await get(`/apps/${name}/deployments/${id}/logs`)).body.sections.find(
        (section: { id: string }) => section.id === 'deploy',
      ).lines
    const accepted = /^\S+ accepted: First deploy \(deploy by token:[a-z0-9]+\)$/
    const [running] = await logOf(before)
    expect(running).to.match(accepted)
    await patch(name, { image: 'svc/hello:2', deploy: true })
    await keepLog(before, name, `2099-11-22T11:00:00Z Failed: superseded by another`)
    expect(await logOf(before)).to.deep.equal([running, '2099-11-22T11:00:00Z Failed: superseded by another'])
    const whole = ['2026-11-22T10:00:00Z accepted: x', '2026-11-22T10:00:05Z Failed: x']
    const [{ id: newest }] = await items(name)
    await keepLog(newest, name, whole.join('\n'))
    expect(await logOf(newest), 'not twice').to.deep.equal(whole)
  })

  it('POST /apps/{name}/rollback brings the earlier image and copies, and leaves other edits pending', async () => {
    const name = await deployed()
    const [first] = await items(name)
    await patch(name, { image: 'svc/hello:2', deploy: true })
    await post(`/apps/${name}/scale`, { replicas: 3 })
    await patch(name, { port: 9000 })
    await post(`/apps/${name}/secrets/set`, { key: 'S', value: 'later' })
    const release = viewOf(await record(name)).attempt?.release
    const { status, body, text } = await post(`/apps/${name}/rollback`, { revision: first.id })
    expect([status, body], text).to.deep.equal([200, { ok: true }])
    const app = await record(name)
    expect(app.spec).to.deep.include({ replicas: 1, port: 9000, source: { image: { image: 'svc/hello:1' } } })
    expect(viewOf(app).effectiveSpec).to.deep.include({
      replicas: 1,
      port: 8080,
      source: { image: { image: 'svc/hello:1' } },
    })
    expect(pendingChangesOf(app)).to.deep.equal(['settings', 'variables'])
    expect(viewOf(app).attempt).to.include({ operation: 'rollback', title: `Rollback to ${first.id}` })
    expect(viewOf(app).attempt?.release).to.equal(release)
    expect((await items(name))[0]).to.include({ image: 'svc/hello:1', changeTitle: `Rollback to ${first.id}` })
  })

  it('a rollback that undoes the only pending edit leaves nothing pending', async () => {
    const name = await deployed()
    const [first] = await items(name)
    await patch(name, { image: 'svc/hello:2' })
    await post(`/apps/${name}/rollback`, { revision: first.id })
    expect(pendingChangesOf(await record(name))).to.deep.equal([])
  })

  it('a rollback refuses functions, records of others, and what is not there', async () => {
    const name = await deployed()
    const error = async (revision: string, of = name) => (await post(`/apps/${of}/rollback`, { revision })).body.error
    const [foreign] = await items(await deployed())
    expect(await error(foreign.id)).to.equal('deployment revision does not belong to app')
    const { client } = await useStack()
    await client.create(resourceTypes.deployment, {
      apiVersion,
      kind: resourceTypes.deployment.kind,
      metadata: { name: `${name}-active`, namespace: systemNamespace },
      spec: { app: name, project, environment: 'production', image: 'x' },
    } as KubeObject)
    expect(await error(`${name}-active`)).to.equal('deployment revision does not belong to app')
    expect(await error('nothing-abcde')).to.equal('deployment not found')
    const fn = await create({ source: 'function', image: undefined })
    expect(await error(foreign.id, fn)).to.equal(
      'functions cannot be rolled back; restore the earlier code and deploy again',
    )
    expect((await post(`/apps/${name}/rollback`)).body.error).to.equal('revision is required')
  })

  it('POST /apps/{name}/retry-provision retries a failed deploy only', async () => {
    const name = await deployed()
    expect((await post(`/apps/${name}/retry-provision`)).body.error).to.equal(
      'only a failed deploy can be retried; this service is pending',
    )
    const ready = {
      type: 'Ready',
      status: 'False',
      reason: 'CrashLoop',
      message: 'container app keeps exiting',
      lastTransitionTime: new Date().toISOString(),
    }
    await observe(name, {
      conditions: [ready],
      lastAttempt: {
        id: viewOf(await record(name)).attempt?.record,
        phase: 'Failed',
        errors: ['container app keeps exiting'],
      },
    })
    expect((await get(`/apps/${name}/status`)).body).to.include({
      state: 'failed',
      message: 'container app keeps exiting',
    })
    expect((await post(`/apps/${name}/retry-provision`)).body).to.deep.equal({ ok: true })
    expect((await record(name)).metadata.annotations?.[annotations.retry]).to.match(/^[0-9a-f]{12}$/)
    expect((await get(`/apps/${name}/status`)).body.state).to.equal('pending')
    expect(api.woken).to.include(`app/${name}: retry requested`)
  })

  it('GET /apps/{name}/status is ready only when the work on what was asked has ended', async () => {
    const name = await deployed()
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: '1 of 1 copies ready',
      lastTransitionTime: new Date().toISOString(),
    }
    await observe(name, {
      conditions: [ready],
      lastAttempt: {
        id: viewOf(await record(name)).attempt?.record,
        phase: 'Succeeded',
        startedAt: new Date().toISOString(),
      },
    })
    expect((await get(`/apps/${name}/status`)).body).to.deep.include({ state: 'ready', ready: true, pendingChanges: 0 })
    await post(`/apps/${name}/deploy`)
    const { body } = await get(`/apps/${name}/status`)
    expect(body).to.deep.include({ state: 'pending', ready: false })
    expect(body.lastAttempt.phase).to.equal('Running')
  })

  it('GET /apps/{name}/status shows sleep-when-idle as set and as observed, and the attempt with its errors', async () => {
    const name = await create({ deploy: true, scaleToZero: 'on', idleSeconds: 90 })
    const read = async () => (await get(`/apps/${name}/status`)).body
    expect((await read()).scaleToZero).to.deep.equal({ idleSeconds: 90, maxReplicas: 1 })
    const errors = ['web keeps exiting']
    const lastAttempt = {
      id: viewOf(await record(name)).attempt?.record,
      phase: 'Failed',
      startedAt: '2026-01-01T00:00:00Z',
      completedAt: '2026-01-01T00:01:00Z',
      summary: 'it exits',
      errors,
    }
    await observe(name, { scaleToZero: { active: false, message: 'no add-on' }, sleeping: true, lastAttempt })
    const seen = await read()
    expect(seen).to.deep.include({
      sleeping: true,
      lastAttempt,
      scaleToZero: { idleSeconds: 90, maxReplicas: 1, active: false, message: 'no add-on' },
    })
    const details = async () => (await get(`/apps/${name}`)).body.resource.details
    expect(await details()).to.have.property('sleeping', true)
    await patch(name, { scaleToZero: 'off' })
    expect(await details()).to.not.have.property('sleeping')
    expect(await read()).to.not.have.any.keys('sleeping', 'scaleToZero')
    expect(await (await get(`/apps/${await create()}/status`)).body).to.not.have.any.keys(
      'sleeping',
      'scaleToZero',
      'build',
      'lastAttempt',
    )
  })

  it('GET /apps/{name}/deployments/{id}/logs has steps and the last lines of failed pods by section', async () => {
    const name = await deployed()
    const [{ id }] = await items(name)
    const { body } = await get(`/apps/${name}/deployments/${id}/logs`)
    const [accepted] = body.sections[0].lines
    expect(body).to.deep.equal({ id, sections: [{ id: 'deploy', title: 'Deploy', lines: [accepted] }] })
    const { client } = await useStack()
    const log = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: attemptLogName(id),
        namespace: systemNamespace,
        labels: { [labels.purpose]: attemptLogPurpose },
      },
      data: { steps: 'one\ntwo', 'pod-web-1': 'panic' },
    }
    await client.create(coreTypes.configMap, log)
    expect((await get(`/apps/${name}/deployments/${id}/logs`)).body.sections).to.deep.equal([
      { id: 'deploy', title: 'Deploy', lines: [accepted, 'one', 'two'] },
      { id: 'pod-web-1', title: 'Pod web-1', lines: ['panic'] },
    ])
    expect((await get(`/apps/${name}/deployments/nothing/logs`)).body.error).to.equal('deployment not found')
  })

  it('POST /apps/{name}/build and POST /apps/{name}/build/cancel say that there is no build', async () => {
    const name = await deployed()
    for (const verb of ['build', 'build/cancel'])
      expect((await post(`/apps/${name}/${verb}`)).body.error, verb).to.equal('this service has no build yet')
  })

  it('GET /apps/{name}/metrics is honest about a missing metrics store', async () => {
    const name = await deployed()
    expect((await get(`/apps/${name}/metrics?window=1h`)).body).to.deep.equal({
      window: '1h',
      step: 60,
      available: false,
      message: 'no metrics store is configured',
      series: { cpu: [], memory: [], network: [], networkIn: [], requests: [] },
    })
  })

  it('GET /api/apps/{app}/deployments/{id}/changes compares any two deployments, and says what a rollback brings back', async () => {
    const name = await create({ deploy: true, replicas: 2 })
    const changed = { image: 'svc/hello:2', replicas: 3, port: 9000, deploy: true }
    expect((await patch(name, changed)).status).to.equal(200)
    await post(`/apps/${name}/config/set`, { key: 'LEVEL', value: 'debug' })
    const [newest, oldest] = (await items(name)).map(({ id }: { id: string }) => id)
    const compare = async (id: string, query = '') =>
      (await get(`/apps/${name}/deployments/${id}/changes${query}`)).body
    const goesBack = true
    expect(await compare(oldest)).to.deep.equal({
      id: oldest,
      from: '',
      changes: [
        { field: 'port', before: 9000, after: 8080, goesBack: false },
        { field: 'replicas', before: 3, after: 2, goesBack },
        { field: 'source.image.image', before: 'svc/hello:2', after: 'svc/hello:1', goesBack },
      ],
    })
    // What is saved and not deployed is no part of what runs.
    expect((await compare(newest)).changes).to.deep.equal([])
    expect(
      (await compare(newest, `?from=${oldest}`)).changes.map(({ field }: { field: string }) => field),
    ).to.deep.equal(['port', 'replicas', 'source.image.image'])
    // A live setting runs without a deploy.
    await post(`/apps/${name}/scale`, { replicas: 5 })
    expect((await compare(newest)).changes).to.deep.equal([{ field: 'replicas', before: 5, after: 3, goesBack }])
    const other = await deployed()
    const [{ id: foreign }] = await items(other)
    for (const query of [
      `/apps/${name}/deployments/${foreign}/changes`,
      `/apps/${name}/deployments/${newest}/changes?from=none`,
    ])
      expect((await get(query)).body.error, query).to.equal('deployment not found')
    const observer = await api.token({ name: 'compares', role: 'observer' })
    expect((await get(`/apps/${name}/deployments/${oldest}/changes`, observer)).status).to.equal(403)
  })

  it('GET /api/apps/{app}/deployments/{id}/changes says why what kubectl made unreadable is not known', async () => {
    const name = await deployed()
    const [{ id }] = await items(name)
    const { client } = await useStack()
    const metadata = { annotations: { [annotations.releaseSpec]: '5' } }
    await client.patch({ type: resourceTypes.deployment, namespace: systemNamespace, name: id }, { metadata })
    await eventually('the reason', async () => {
      const { body } = await get(`/apps/${name}/deployments/${id}/changes`)
      return (
        body.error ===
        `what deployment ${id} deployed is not known: the annotation svc.dev/release-spec cannot be read: ` +
          'Invalid input: expected object, received number'
      )
    })
  })

  it('a deploy whose answer was lost is recognised: the same attempt twice is one', async () => {
    const name = await deployed()
    const request = {
      operation: 'deploy' as const,
      actor: 'tester',
      requestId: 'lost',
      title: 'Redeploy',
      record: `${name}-twice`,
    }
    const before = await api.needs.writes.apps.read(name)
    if (before === undefined) throw new Error('the service is gone')
    const once = await acceptDeploy(api.needs.writes, before, request)
    const twice = await acceptDeploy(api.needs.writes, before, request)
    expect(twice.metadata.resourceVersion).to.equal(once.metadata.resourceVersion)
    expect((await items(name)).filter(({ id }: { id: string }) => id === `${name}-twice`)).to.have.length(1)
    expect(viewOf(twice).lastDeployed).to.deep.equal(twice.spec)
  })

  it('POST /token/deploy and GET /token/services: everything pending in the environment of a project token', async () => {
    const target = (await post('/projects')).body.project
    const make = async (environment: string) =>
      (await post('/apps', { project: target, environment, image: 'svc/hello:1' })).body.name
    await post(`/projects/${target}/environments`, { environment: 'staging' })
    const mine = await Promise.all([make('production'), make('production')])
    const elsewhere = await make('staging')
    const scoped = await api.token({ name: 'ci', scope: 'project', project: target, environment: 'production' })
    expect((await get('/token/services', scoped)).body.services.map(({ id }: { id: string }) => id)).to.have.members(
      mine,
    )
    expect((await post('/token/deploy', {}, scoped)).body).to.deep.equal({ ok: true, deployed: 2 })
    expect((await post('/token/deploy', {}, scoped)).body).to.deep.equal({ ok: true, deployed: 0 })
    expect(
      (await get('/apps', scoped)).body.items.map(({ name, state }: { name: string; state: string }) => [name, state]),
    ).to.have.deep.members(mine.map((name) => [name, 'pending']))
    expect((await get(`/apps/${elsewhere}`, scoped)).body.error).to.equal('app not found')
    expect((await get(`/apps/${elsewhere}/status`)).body.state).to.equal('draft')
    expect((await post('/token/deploy')).status).to.equal(403)
  })

  it('records carry the label of the service and the actor Dashboard', async () => {
    const name = await deployed()
    const { client } = await useStack()
    const [{ id }] = await items(name)
    const kept = await client.get<KubeObject & { spec: object; status: object }>({
      type: resourceTypes.deployment,
      namespace: systemNamespace,
      name: id,
    })
    expect(kept?.metadata.labels).to.include({
      [labels.app]: name,
      [labels.project]: project,
      [labels.environment]: 'production',
      [labels.managedBy]: 'svc',
    })
    expect(kept?.spec).to.deep.include({ actor: 'Dashboard', source: 'Dashboard', image: 'svc/hello:1', replicas: 1 })
    expect(id).to.match(new RegExp(`^${name}-[a-z0-9]{5}$`))
  })
})
