/**
 * The contents of a project on real servers: data, tokens and connections go with its deletion, its pods move when its
 * placement changes.
 */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { withArchived } from '../../kinds/projects/archived.ts'
import { projectState } from '../../kinds/projects/intent.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { reservedTaint, tagSelector } from '../../kinds/placement/node-tags.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import {
  createApp,
  createProject,
  deploy,
  type TestRecords,
  until,
  untilGone,
  untilState,
  useRecords,
} from '../harness/records.ts'
import { useWorker, withoutWorker } from '../harness/worker.ts'
import { liveDeployment } from './service-world.ts'

const system = 'svc-system'
const waitMs = 25_000

describe('what a project takes along', function () {
  this.timeout(90_000)
  let records: TestRecords

  before(async () => {
    records = await useRecords()
    await useWorker()
  })

  const ready = (project: Project) =>
    until(
      records.projects,
      project,
      (record) => record !== undefined && projectState(record).state === 'ready',
      'ready',
    )
  const gone = (project: Project) => until(records.projects, project, (record) => record === undefined, 'gone')
  const edit = (project: Project, spec: Partial<Project['spec']>) =>
    records.projects.edit(project.metadata.name, (current) => ({ ...current, spec: { ...current.spec, ...spec } }))
  const there = async (type: ResourceType, name: string) =>
    (await records.client.get({ type, namespace: system, name })) !== undefined
  const mint = (kind: string) => `${kind}-${randomBytes(4).toString('hex')}`

  async function put(
    type: ResourceType,
    name: string,
    spec: object,
    own: Record<string, string> = {},
  ): Promise<string> {
    const record = {
      apiVersion: 'svc.svc.dev/v1alpha1',
      kind: type.kind,
      metadata: { name, namespace: system, labels: own },
      spec,
    } as KubeObject
    await records.client.create(type, record)
    return name
  }
  async function data({ metadata }: Project, environment: string): Promise<[ResourceType, string][]> {
    const place = { project: metadata.name, environment }
    const database = await put(resourceTypes.database, mint('db'), { ...place, engine: 'postgres' })
    const logical = await put(resourceTypes.logicalDatabase, mint('ldb'), {
      ...place,
      serverRef: database,
      databaseName: 'shop',
    })
    const store = await put(resourceTypes.objectStore, mint('store'), { ...place, engine: 'Local', buckets: ['shop'] })
    return [
      [resourceTypes.database, database],
      [resourceTypes.logicalDatabase, logical],
      [resourceTypes.objectStore, store],
    ]
  }
  async function secret(name: string, own: Record<string, string>): Promise<void> {
    await records.client.create(coreTypes.secret, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: system, labels: own },
    })
  }
  async function token({ metadata }: Project, environment: string): Promise<string> {
    const name = mint('svc-token')
    await secret(name, { 'svc.dev/auth': 'token', [labels.project]: metadata.name, [labels.environment]: environment })
    return name
  }

  it('archives an environment with its databases, buckets and tokens, and leaves those of the others', async () => {
    const project = await createProject(records, { environments: ['production', 'staging'] })
    await ready(project)
    const [kept, going] = [await data(project, 'production'), await data(project, 'staging')]
    const [keptToken, goingToken] = [await token(project, 'production'), await token(project, 'staging')]
    await edit(project, { environments: ['production'] })
    const reconciled = await ready(project)
    expect(reconciled.status?.environments?.map(({ name }) => name)).to.deep.equal(['production'])
    for (const [type, name] of kept) expect(await there(type, name), name).to.equal(true)
    for (const [type, name] of going) expect(await there(type, name), name).to.equal(false)
    expect([await there(coreTypes.secret, keptToken), await there(coreTypes.secret, goingToken)]).to.deep.equal([
      true,
      false,
    ])
  })

  it('empties an environment that was archived before any worker had set it up', async () => {
    await withoutWorker()
    const project = await createProject(records, { environments: ['production', 'early'] })
    const draft = await createApp(records, project, { environment: 'early' })
    const going = await data(project, 'early')
    await records.projects.edit(project.metadata.name, (current) =>
      withArchived({ ...current, spec: { ...current.spec, environments: ['production'] } }, ['early']),
    )
    await useWorker()
    await untilGone(records, draft)
    const reconciled = await ready(project)
    for (const [type, name] of going) expect(await there(type, name), name).to.equal(false)
    expect(reconciled.metadata.annotations?.[annotations.archived]).to.equal(undefined)
  })

  it('leaves a service alone whose environment the project does not list yet', async () => {
    const project = await createProject(records)
    const early = await createApp(records, project, { environment: 'later' })
    await ready(project)
    expect((await records.apps.readLive(early.metadata.name))?.metadata.deletionTimestamp).to.equal(undefined)
    await edit(project, { environments: ['production', 'later'] })
    await ready(project)
    await deploy(records, early)
    await untilState(records, early, 'ready')
  })

  it('goes with its data, cloud connections, their keys and its tokens', async () => {
    const project = await createProject(records)
    const other = await createProject(records)
    await Promise.all([ready(project), ready(other)])
    const going = await data(project, 'production')
    const revoked = await token(project, 'production')
    const connection = async ({ metadata: { name } }: Project) => {
      const own = await put(resourceTypes.cloudConnection, mint('cloud'), { project: name, secretRef: { name: 'any' } })
      await secret(`${own}-credentials`, { [labels.project]: name })
      return own
    }
    const [mine, theirs] = [await connection(project), await connection(other)]
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
    await gone(project)
    for (const [type, name] of going) expect(await there(type, name), name).to.equal(false)
    expect(await there(resourceTypes.cloudConnection, mine)).to.equal(false)
    expect(await there(coreTypes.secret, `${mine}-credentials`)).to.equal(false)
    expect(await there(coreTypes.secret, revoked)).to.equal(false)
    expect([
      await there(resourceTypes.cloudConnection, theirs),
      await there(coreTypes.secret, `${theirs}-credentials`),
    ]).to.deep.equal([true, true])
    await records.projects.remove(other.metadata.name, other.metadata.uid ?? '')
    await gone(other)
  })

  it('names what its deletion waits for, and goes on when that is gone', async () => {
    const project = await createProject(records)
    await ready(project)
    const store = await put(resourceTypes.objectStore, mint('store'), {
      project: project.metadata.name,
      environment: 'production',
      engine: 'Local',
    })
    const held = 'svc.test/held'
    const holding = (finalizers: string[]) =>
      records.objectStores.edit(store, (current) => ({ ...current, metadata: { ...current.metadata, finalizers } }))
    await holding([held])
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
    const message = new RegExp(`^waiting for 1 bucket of environment production to be removed: ${store}`)
    await until(
      records.projects,
      project,
      (record) => record !== undefined && message.test(projectState(record).message),
      'waiting',
    )
    await holding([])
    await gone(project)
  })

  it('rolls its services back while they still wait for nodes that do not exist', async () => {
    const tag = mint('tag')
    const project = await createProject(records)
    await ready(project)
    const app = await createApp(records, project)
    await deploy(records, app)
    await untilState(records, app, 'ready')
    await edit(project, { requiredTags: [tag] })
    const liveText = async () => JSON.stringify(await liveDeployment(records, app))
    await eventually('its copies ask for the tag', async () => (await liveText()).includes(tag), waitMs)
    const isNoted = async () => {
      const { status } = (await records.apps.readLive(app.metadata.name)) ?? {}
      const made = (await liveDeployment(records, app))?.metadata.annotations?.[annotations.applied] ?? ''
      return made !== '' && status?.applied?.startsWith(made.slice(0, 8)) === true
    }
    await eventually('its status has what was applied for them, though none is up', isNoted, waitMs)
    await edit(project, { requiredTags: [] })
    await eventually('its copies may run anywhere', async () => !(await liveText()).includes(tag), waitMs)
    await untilState(records, app, 'ready')
  })

  it('rolls its running services onto the nodes that it requires from now on, and back', async () => {
    const tag = mint('tag')
    const status = {
      allocatable: { cpu: '8', memory: '32Gi', pods: '110' },
      capacity: { cpu: '8', memory: '32Gi', pods: '110' },
    }
    const tagged = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: mint('node'), labels: tagSelector([tag]) },
      spec: { taints: [reservedTaint(tag)] },
      status,
    }
    await records.client.create(coreTypes.node, tagged)
    try {
      const project = await createProject(records)
      await ready(project)
      const app = await createApp(records, project)
      await deploy(records, app)
      await untilState(records, app, 'ready')
      await edit(project, { requiredTags: [tag] })
      await eventually(
        'its copies run on the tagged node',
        async () => (await nodesOf(app)).join() === tagged.metadata.name,
        waitMs,
      )
      await untilState(records, app, 'ready')
      await edit(project, { requiredTags: [] })
      await eventually(
        'its copies may run anywhere',
        async () => !JSON.stringify(await liveDeployment(records, app)).includes(tag),
        waitMs,
      )
      await untilState(records, app, 'ready')
    } finally {
      await records.client.delete({ type: coreTypes.node, name: tagged.metadata.name })
    }
  })

  it('lets in whom its network settings name, as they change', async () => {
    const project = await createProject(records, {
      network: { isolation: 'Project', allowFromProjects: ['proj-0000000a'] },
    })
    await ready(project)
    const policy = {
      type: coreTypes.networkPolicy,
      namespace: `${project.metadata.name}-production`,
      name: 'svc-project-isolation',
    }
    const policyText = async () => JSON.stringify(await records.client.get(policy))
    expect(await policyText()).to.include(`"${project.metadata.name}","proj-0000000a"`)
    await edit(project, { network: { isolation: 'Project', allowFromProjects: ['proj-0000000b'] } })
    await ready(project)
    expect(await policyText())
      .to.include(`"${project.metadata.name}","proj-0000000b"`)
      .and.not.include('proj-0000000a')
  })

  async function nodesOf(app: { metadata: { uid?: string } }): Promise<string[]> {
    const labelSelector = `${labels.owner}=${app.metadata.uid ?? ''}`
    const { items } = await records.client.list<KubeObject & { spec?: { nodeName?: string } }>(coreTypes.pod, {
      labelSelector,
    })
    return items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ spec }) => spec?.nodeName ?? '')
  }
})
