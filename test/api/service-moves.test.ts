/** Moving a service to another project or environment: the checks before it, and the writes. */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { databaseSpec } from '../../kinds/databases/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { useServices } from './services-world.ts'

describe('Moving a service', () => {
  const { world, post, get, patch, create, deployed, record } = useServices()

  it('PATCH moves a draft at once, and a service that runs with a deploy only', async () => {
    const target = (await post('/projects')).body.project
    await post(`/projects/${target}/environments`, { environment: 'staging' })
    const listed = async (where: string) =>
      (await get(`/apps?${where}`)).body.items.map((item: { name: string }) => item.name)
    const draft = await create()
    expect((await patch(draft, { project: target, environment: 'staging' })).body).to.deep.include({
      ok: true,
      pending: ['created'],
    })
    expect((await record(draft)).metadata.labels).to.include({
      'svc.dev/project': target,
      'svc.dev/environment': 'staging',
    })
    expect(await listed(`project=${target}&environment=staging`)).to.deep.equal([draft])
    expect(await listed(`project=${world.project}&environment=production`)).to.not.include(draft)

    const name = await deployed()
    const refused = await patch(name, { project: target })
    expect([refused.status, refused.body.error]).to.deep.equal([
      400,
      'a service that runs is moved by a deploy: send deploy=on along with project and environment',
    ])
    const before = (await record(name)).metadata.generation ?? 0
    expect((await patch(name, { project: target, deploy: true })).body).to.deep.include({
      ok: true,
      deployed: true,
      pending: [],
    })
    const moved = await record(name)
    expect([moved.metadata.generation, viewOf(moved).lastDeployed?.project, moved.spec.project]).to.deep.equal([
      before + 1,
      target,
      target,
    ])
    const [newest] = (await get(`/apps/${name}/deployments`)).body.items
    const kept = await (
      await useStack()
    ).client.get<App>({ type: resourceTypes.deployment, namespace: systemNamespace, name: newest.id })
    expect(kept?.spec).to.include({ project: target, environment: 'production' })
  })

  it('PATCH does not move a service into nothing, onto a name, or away from its secrets', async () => {
    const target = (await post('/projects')).body.project
    const name = await create()
    const gone = await patch(name, { project: 'proj-ffffffff' })
    expect([gone.status, gone.body.error]).to.deep.equal([404, 'project not found'])
    expect((await patch(name, { environment: 'nowhere' })).body.error).to.equal(
      'the project has no environment nowhere',
    )
    const { client } = await useStack()
    const database = databaseSpec.parse({ project: target, environment: 'production', engine: 'redis' })
    const { kind } = resourceTypes.database
    await client.create(resourceTypes.database, {
      apiVersion,
      kind,
      metadata: { name, namespace: systemNamespace },
      spec: database,
    } as KubeObject)
    await eventually(
      'the database is seen',
      () => world.api.needs.caches.databases.get(name, systemNamespace) !== undefined,
    )
    expect((await patch(name, { project: target })).body.error).to.equal(
      `the name ${name} is already used in environment production`,
    )
    const attached = await create()
    const app = await record(attached)
    const reference = { name: 'REDIS_URL', valueFrom: { secretKeyRef: { name: `${name}-connection`, key: 'uri' } } }
    await client.replace(resourceTypes.app, { ...app, spec: { ...app.spec, env: [reference] } })
    expect((await patch(attached, { project: target })).body.error).to.equal(
      'REDIS_URL refers to a secret of this environment; delete it before you move the service',
    )
    expect((await record(attached)).spec.project).to.equal(world.project)
  })
})
