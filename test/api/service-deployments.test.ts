/** Deployments of services over HTTP: lists, logs, rollbacks, and what their records hold. */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { pendingChangesOf } from '../../kinds/provision/draft.ts'
import { attemptLogName, attemptLogPurpose } from '../../records/store/attempt-history.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { acceptDeploy } from '../../records/apps/accept-deploy.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { useServices } from './services-world.ts'

describe('Deployments of a service', () => {
  const { world, post, get, patch, create, deployed, record, observe } = useServices()
  const items = async (name: string) => (await get(`/apps/${name}/deployments`)).body.items
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

  it('GET /apps/{name}/deployments lists the newest first, at most twelve, without the active record', async () => {
    const name = await deployed()
    for (let count = 2; count <= 14; count += 1)
      expect((await patch(name, { image: `svc/hello:${count}`, deploy: true })).status).to.equal(200)
    const { client } = await useStack()
    const active = {
      apiVersion,
      kind: resourceTypes.deployment.kind,
      metadata: { name: `${name}-active`, namespace: systemNamespace },
      spec: { app: name, project: world.project, environment: 'production', image: 'x' },
    }
    await client.create(resourceTypes.deployment, active)
    await eventually(
      'the active record is seen',
      () => world.api.needs.caches.deployments.get(`${name}-active`, systemNamespace) !== undefined,
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
    const viewer = await world.api.token({ name: 'deployments-viewer', role: 'viewer' })
    const [shown] = (await get(`/apps/${name}/deployments`, viewer)).body.items
    expect(shown).to.include({ outcome: 'Failed' }).and.not.to.have.any.keys('requestedBy', 'reason')
  })

  it('GET /apps/{name}/deployments and the logs have an earlier success from the status, without reading a log', async () => {
    const name = await deployed()
    const [{ id: earlier }] = await items(name)
    await patch(name, { image: 'svc/hello:2', deploy: true })
    const [{ id: newest }] = await items(name)
    const image = `svc/hello:1@sha256:${'0a'.repeat(32)}`
    const end = {
      startedAt: '2099-11-22T10:00:01Z',
      completedAt: '2099-11-22T10:00:09Z',
      summary: '1 of 1 copies ready',
    }
    await observe(name, {
      lastAttempt: { id: newest, phase: 'Running', startedAt: end.startedAt },
      history: [{ id: earlier, ...end, image }],
    })
    const { sections } = (await get(`/apps/${name}/deployments/${earlier}/logs`)).body
    expect(sections.map(({ id }: { id: string }) => id)).to.deep.equal(['deploy'])
    const [accepted, ...lines] = sections[0].lines
    expect(accepted).to.match(/^\S+ accepted: First deploy \(deploy by token:[a-z0-9]+\)$/)
    expect(lines).to.deep.equal([
      `${end.startedAt} applying release ${earlier}`,
      `${end.startedAt} image svc/hello:1 is ${image.split('@')[1]}`,
      `${end.completedAt} Succeeded: 1 of 1 copies ready`,
    ])
    await keepLog(earlier, name, '2099-11-22T10:00:05Z Failed: not read')
    const outcomes = (await items(name)).map(({ outcome }: { outcome?: string }) => outcome)
    expect(outcomes).to.deep.equal(['Running', 'Succeeded'])
    expect((await post(`/apps/${name}/rollback`, { revision: earlier })).body).to.deep.equal({ ok: true })
    expect(viewOf(await record(name)).attempt?.image, 'the digest that ran then').to.equal(image)
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
      spec: { app: name, project: world.project, environment: 'production', image: 'x' },
    } as KubeObject)
    expect(await error(`${name}-active`)).to.equal('deployment revision does not belong to app')
    expect(await error('nothing-abcde')).to.equal('deployment not found')
    const fn = await create({ source: 'function', image: undefined })
    expect(await error(foreign.id, fn)).to.equal(
      'functions cannot be rolled back; restore the earlier code and deploy again',
    )
    expect((await post(`/apps/${name}/rollback`)).body.error).to.equal('revision is required')
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

  it('a deploy whose answer was lost is recognised: the same attempt twice is one', async () => {
    const name = await deployed()
    const request = {
      operation: 'deploy' as const,
      actor: 'tester',
      requestId: 'lost',
      title: 'Redeploy',
      record: `${name}-twice`,
    }
    const before = await world.api.needs.writes.apps.read(name)
    if (before === undefined) throw new Error('the service is gone')
    const once = await acceptDeploy(world.api.needs.writes, before, request)
    const twice = await acceptDeploy(world.api.needs.writes, before, request)
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
    const scoped = await world.api.token({ name: 'ci', scope: 'project', project: target, environment: 'production' })
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
      [labels.project]: world.project,
      [labels.environment]: 'production',
      [labels.managedBy]: 'svc',
    })
    expect(kept?.spec).to.deep.include({ actor: 'Dashboard', source: 'Dashboard', image: 'svc/hello:1', replicas: 1 })
    expect(id).to.match(new RegExp(`^${name}-[a-z0-9]{5}$`))
  })
})
