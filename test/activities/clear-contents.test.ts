/** The contents of an environment are removed by a worker whose cache has received none of them. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { ActivityNeeds } from '../../activities/context/needs.ts'
import { clearContents, filledEnvironments } from '../../activities/projects/contents.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { ResourceType } from '../../cluster/objects/resource-type.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import type { Provisioned } from '../../kinds/provision/plan.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { RecordStore } from '../../records/store/record-store.ts'
import { behindStore, createProject, type TestRecords, useRecords } from '../harness/records.ts'

describe('taking away what lives in an environment', () => {
  let records: TestRecords
  let project: Project

  before(async function () {
    this.timeout(60_000)
    records = await useRecords()
  })
  beforeEach(async () => {
    project = await createProject(records, { environments: ['production', 'staging'] })
  })
  /** No worker runs that would remove the finalizer. */
  afterEach(async () => {
    const { name, uid = '' } = project.metadata
    await records.projects.edit(name, (current) => ({ ...current, metadata: { ...current.metadata, finalizers: [] } }))
    await records.projects.remove(name, uid)
  })

  function uncachedStore<T extends KubeObject & Provisioned>(type: ResourceType): RecordStore<T> {
    const indexes = {
      project: ({ spec }: T) => [spec.project],
      environment: ({ spec }: T) => [namespaceOf(spec.project, spec.environment)],
    }
    return behindStore<T>(records.client, type, [], indexes)
  }
  const behind = () =>
    ({
      client: records.client,
      now: records.now,
      projects: records.projects,
      apps: uncachedStore(resourceTypes.app),
      databases: uncachedStore(resourceTypes.database),
      logicalDatabases: uncachedStore(resourceTypes.logicalDatabase),
      objectStores: uncachedStore(resourceTypes.objectStore),
    }) as unknown as ActivityNeeds // all that the activities use
  /** Makes one record of each kind, as kubectl does: without labels. */
  async function fill(environment: string): Promise<[ResourceType, string][]> {
    const place = { project: project.metadata.name, environment }
    const specs: [ResourceType, object][] = [
      [resourceTypes.app, { ...place, source: { image: { image: 'svc/hello:1' } } }],
      [resourceTypes.database, { ...place, engine: 'postgres' }],
      [resourceTypes.logicalDatabase, { ...place, serverRef: 'any', databaseName: 'shop' }],
      [resourceTypes.objectStore, { ...place, engine: 'Local' }],
    ]
    return await Promise.all(
      specs.map(async ([type, spec]): Promise<[ResourceType, string]> => {
        const name = `unknown-${randomBytes(4).toString('hex')}`
        await records.client.create<KubeObject & { spec: object }>(type, {
          apiVersion,
          kind: type.kind,
          metadata: { name, namespace: systemNamespace },
          spec,
        })
        return [type, name]
      }),
    )
  }
  /** As an archive does: the project lists these environments from now on. */
  const list = async (...environments: string[]) => {
    const edited = await records.projects.edit(project.metadata.name, (current) => ({
      ...current,
      spec: { ...current.spec, environments },
    }))
    project = edited ?? project
  }
  const left = async (made: readonly [ResourceType, string][]): Promise<string[]> => {
    const found = await Promise.all(
      made.map(([type, name]) => records.client.get<KubeObject>({ type, namespace: systemNamespace, name })),
    )
    return found.flatMap((object) => (object === undefined ? [] : [object.metadata.name]))
  }

  it('asks the cluster before it is said to be empty, and leaves other environments alone', async () => {
    const [going, staying] = [await fill('staging'), await fill('production')]
    await list('production')
    expect(await clearContents(behind(), project, 'staging')).to.equal('')
    expect([await left(going), await left(staying)]).to.deep.equal([[], staying.map(([, name]) => name)])
    await list('other')
    expect(await clearContents(behind(), project, 'production')).to.equal('')
  })

  it('takes nothing of an environment that was made again while the pass was cut off', async () => {
    await list('production')
    const needs = behind()
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const { promise: free, resolve: release } = Promise.withResolvers<void>()
    const client = Object.create(records.client) as ClusterClient
    client.list = async (...asked) => {
      reach()
      await free
      return records.client.list(...asked)
    }
    const clearing = clearContents({ ...needs, client }, project, 'staging')
    await reached
    await list('production', 'staging')
    const made = await fill('staging')
    release()
    expect(await clearing).to.match(/^waiting for 1 service of environment staging to be removed/)
    expect(await left(made)).to.deep.equal(made.map(([, name]) => name))
    await list('production')
    expect(await clearContents(behind(), project, 'staging')).to.equal('')
  })

  it('takes no service that has left the environment a moment ago', async () => {
    const [moved = expect.fail()] = await fill('staging')
    const apps = uncachedStore<App>(resourceTypes.app)
    await apps.readLive(moved[1])
    await records.apps.edit(moved[1], (app) => ({ ...app, spec: { ...app.spec, environment: 'production' } }))
    await list('production')
    await clearContents({ ...behind(), apps }, project, 'staging')
    expect(await left([moved])).to.deep.equal([moved[1]])
    await list('other')
    expect(await clearContents(behind(), project, 'production')).to.equal('')
  })

  it('finds environments whose contents are not in the cache yet', async () => {
    const made = await fill('elsewhere')
    expect(await filledEnvironments(behind(), project)).to.deep.equal(['elsewhere'])
    expect(await clearContents(behind(), project, 'elsewhere')).to.equal('')
    expect(await left(made)).to.deep.equal([])
  })
})
