/** Placement and network access of a project over HTTP: region, required tags, network. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { databaseSpec } from '../../kinds/databases/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type TestApi } from './test-api.ts'

describe('where a project runs', () => {
  let api: TestApi
  let client: ClusterClient
  let token: string
  let viewer: string
  // Names unique to this run, so that nodes of other tests do not have them.
  const id = randomBytes(3).toString('hex')
  const [eu, us, gdpr, hipaa, open] = [`eu-${id}`, `us-${id}`, `gdpr-${id}`, `hipaa-${id}`, `open-${id}`]

  before(async function () {
    this.timeout(60_000)
    ;({ client } = await useStack())
    api = await startTestApi()
    token = await api.token({ role: 'admin' })
    viewer = await api.token({ role: 'viewer' })
    await Promise.all([node(`n1-${id}`), node(`n2-${id}`), node(`n3-${id}`)])
    await place(`n1-${id}`, { region: eu, reserved: [gdpr] })
    await place(`n2-${id}`, { region: us, reserved: [hipaa, gdpr] })
    await place(`n3-${id}`, { region: eu, tags: [open] })
  })
  after(async () => {
    await api.stop()
    await Promise.all([1, 2, 3].map((n) => client.delete({ type: coreTypes.node, name: `n${n}-${id}` })))
  })

  const post = (path: string, json: object = {}) => api.ask('POST', `/api/v1${path}`, { token, json })
  const form = (path: string, fields: Record<string, string | readonly string[]>) =>
    api.ask('POST', `/api${path}`, { token, form: fields })
  const patch = (name: string, json: object) => api.ask('PATCH', `/api/v1/projects/${name}`, { token, json })
  const create = async (region = ''): Promise<string> => (await post('/projects', { region })).body.project
  const specOf = async (name: string): Promise<Project['spec']> => {
    const project = await client.get<Project>({ type: resourceTypes.project, namespace: systemNamespace, name })
    if (project === undefined) throw new Error(`no project ${name}`)
    return project.spec
  }
  /** Makes an unschedulable node, so that no pod of another test can be placed on it. */
  async function node(name: string): Promise<void> {
    const found: KubeObject & { spec: object } = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name },
      spec: { unschedulable: true },
    }
    await client.create(coreTypes.node, found)
    await eventually(`${name} is seen`, () => api.needs.caches.nodes.get(name) !== undefined)
  }
  async function place(name: string, placement: object): Promise<void> {
    expect((await post(`/nodes/${name}/placement`, placement)).status).to.equal(200)
  }
  async function database(
    project: string,
    name: string,
    tags: string[],
    placement: 'InCluster' | 'External' = 'InCluster',
  ): Promise<void> {
    const spec = databaseSpec.parse({ project, environment: 'production', placement, runOn: { tags } })
    const owned = { [labels.managedBy]: managedBySvc, [labels.project]: project, [labels.environment]: 'production' }
    const record = {
      apiVersion,
      kind: 'SvcDatabase',
      metadata: { name, namespace: systemNamespace, labels: owned },
      spec,
    }
    await client.create(resourceTypes.database, record)
    await eventually(`${name} is seen`, () => api.needs.caches.databases.get(name, systemNamespace) !== undefined)
  }

  it('POST /projects/{name}/compliance and GET /projects/{name}/compliance set and show required tags on both surfaces', async () => {
    const name = await create(eu)
    expect((await post(`/projects/${name}/compliance`, { requiredTags: [gdpr, gdpr] })).body).to.deep.equal({
      ok: true,
      requiredTags: [gdpr],
    })
    expect((await specOf(name)).requiredTags).to.deep.equal([gdpr])
    const expected = { requiredTags: [gdpr], region: eu, databases: [], openNodes: [] }
    for (const [path, as] of [
      [`/api/v1/projects/${name}/compliance`, token],
      [`/api/projects/${name}/compliance`, viewer],
    ] as const) {
      expect((await api.ask('GET', path, { token: as })).body).to.deep.equal(expected)
    }
    expect((await post(`/projects/${name}/compliance`, { requiredTags: [] })).body).to.deep.equal({
      ok: true,
      requiredTags: [],
    })
    expect((await form(`/projects/${name}/compliance`, { requiredTags: `${gdpr}, ` })).body).to.deep.equal({
      ok: true,
      requiredTags: [gdpr],
    })
    expect((await form(`/projects/${name}/compliance`, { requiredTags: '' })).body).to.deep.equal({
      ok: true,
      requiredTags: [],
    })
  })

  it('POST /projects/{name}/compliance refuses what nodes and databases do not keep', async () => {
    const name = await create(eu)
    const save = async (...requiredTags: string[]) =>
      (await post(`/projects/${name}/compliance`, { requiredTags })).body.error
    expect(await save(hipaa)).to.equal(`no node in region ${eu} carries the tag ${hipaa}`)
    expect(await save(open)).to.equal(`the tag ${open} is not reserved on node n3-${id}`)
    expect(await save(...Array.from({ length: 9 }, (_, index) => `t${index}`))).to.equal(
      'requiredTags must be at most 8 tags',
    )
    expect(await save('Not Plain')).to.equal(
      'a node tag must use lowercase letters, digits, and hyphens, up to 40 characters',
    )
    await database(name, `db-${id}`, [])
    expect(await save(gdpr)).to.equal(`databases are not on nodes with the required tags: db-${id} (${gdpr})`)
    expect((await specOf(name)).requiredTags).to.deep.equal([])
    expect((await post('/projects/proj-00000000/compliance', { requiredTags: [gdpr] })).body).to.deep.equal({
      error: 'project not found',
      code: 'not_found',
    })
    expect((await api.ask('GET', '/api/v1/projects/proj-00000000/compliance', { token })).status).to.equal(404)
  })

  it('GET /api/projects/{p}/placement/warnings says why tags and a region would be refused, and writes nothing', async () => {
    const name = await create(eu)
    const asked = async (query: string) =>
      (await api.ask('GET', `/api/projects/${name}/placement/warnings${query}`, { token })).body
    expect(await asked('')).to.deep.equal({ warnings: [] })
    expect(await asked(`?requiredTags=${gdpr}`)).to.deep.equal({ warnings: [] })
    const refused = `no node in region ${eu} carries the tag ${hipaa}`
    expect(await asked(`?requiredTags=${gdpr},${hipaa}`)).to.deep.equal({ refused, warnings: [] })
    await database(name, `there-${id}`, [gdpr])
    expect(await asked('?region=elsewhere')).to.deep.equal({
      refused: `the region cannot change while the project has databases on the cluster: there-${id}`,
      warnings: [],
    })
    expect(await specOf(name)).to.deep.include({ region: eu, requiredTags: [] })
  })

  it('GET /projects/{name}/compliance names databases that miss a tag and nodes that let others in', async () => {
    const name = await create(eu)
    await database(name, `good-${id}`, [gdpr])
    expect((await post(`/projects/${name}/compliance`, { requiredTags: [gdpr] })).status).to.equal(200)
    await database(name, `late-${id}`, [])
    await place(`n3-${id}`, { region: eu, tags: [open, gdpr] })
    expect((await api.ask('GET', `/api/v1/projects/${name}/compliance`, { token })).body).to.deep.equal({
      requiredTags: [gdpr],
      region: eu,
      databases: [
        { name: `good-${id}`, compliant: true, missing: [] },
        { name: `late-${id}`, compliant: false, missing: [gdpr] },
      ],
      openNodes: [`n3-${id}`],
    })
    await place(`n3-${id}`, { region: eu, tags: [open] })
  })

  it('PATCH /projects/{name} refuses another region while databases are on the cluster or required tags are not there', async () => {
    const name = await create(eu)
    expect((await patch(name, { region: us })).body).to.deep.equal({ ok: true })
    await post(`/projects/${name}/compliance`, { requiredTags: [hipaa] })
    expect((await patch(name, { region: eu })).body.error).to.equal(`no node in region ${eu} carries the tag ${hipaa}`)
    await post(`/projects/${name}/compliance`, {})
    await database(name, `outside-${id}`, [], 'External')
    expect((await patch(name, { region: eu })).body).to.deep.equal({ ok: true })
    await database(name, `inside-${id}`, [])
    const refusal = `the region cannot change while the project has databases on the cluster: inside-${id}`
    expect((await patch(name, { region: us })).body.error).to.equal(refusal)
    const saved = await form(`/projects/${name}/settings/save`, {
      displayName: `Shop ${id}`,
      environments: 'production',
      region: us,
    })
    expect(saved.body).to.deep.equal({ error: refusal })
    expect((await patch(name, { region: eu, displayName: `Shop ${id}` })).body).to.deep.equal({ ok: true })
    expect(await specOf(name)).to.deep.include({ region: eu, displayName: `Shop ${id}` })
  })

  it('POST /apps/{name}/deploy finds no capacity where the project may not run', async () => {
    const name = await create(eu)
    await post(`/projects/${name}/compliance`, { requiredTags: [gdpr] })
    const app = (await post('/apps', { project: name, environment: 'production', image: 'svc/hello:1' })).body.name
    const refusal = `the cluster has no capacity: no node in region ${eu} with the tag ${gdpr} is ready to take copies`
    expect((await post(`/apps/${app}/deploy`)).body.error).to.equal(refusal)
  })

  it('POST /projects/{name}/network stores whom to let in, and the newest list replaces the one before', async () => {
    const [name, friend, other] = [await create(), await create(), await create()]
    const save = (fields: object) => post(`/projects/${name}/network`, fields)
    expect((await save({ isolation: 'Project', allowFromProjects: [friend, other, name, friend] })).body).to.deep.equal(
      { ok: true },
    )
    expect((await specOf(name)).network).to.deep.equal({ isolation: 'Project', allowFromProjects: [friend, other] })
    expect(api.woken).to.include(`project/${name}: network changed`)
    expect(
      (await form(`/projects/${name}/network`, { isolation: 'Project', allowFromProjects: [friend] })).body,
    ).to.deep.equal({ ok: true })
    expect((await specOf(name)).network.allowFromProjects).to.deep.equal([friend])
    expect((await save({ isolation: 'None' })).body).to.deep.equal({ ok: true })
    expect((await specOf(name)).network).to.deep.equal({ isolation: 'None', allowFromProjects: [] })
    expect((await save({})).body.error).to.equal('isolation must be Project or None')
    expect((await save({ isolation: 'Project', allowFromProjects: ['proj-00000000'] })).body.error).to.equal(
      'allowFromProjects must be IDs of projects',
    )
    const many = Array.from({ length: 21 }, () => friend)
    expect((await save({ isolation: 'Project', allowFromProjects: many })).body.error).to.equal(
      'allowFromProjects must be at most 20 projects',
    )
    expect((await post('/projects/proj-00000000/network', { isolation: 'None' })).status).to.equal(404)
  })
})
