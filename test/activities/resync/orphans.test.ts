/** What a worker that was cut off left of a record that is gone is removed, and nothing else. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { ActivityNeeds } from '../../../activities/context/needs.ts'
import { sweepOrphans } from '../../../activities/resync/orphans.ts'
import { createDiscovery } from '../../../cluster/discovery.ts'
import { silentLog } from '../../../cluster/objects/log.ts'
import type { KubeObject } from '../../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../../cluster/objects/resource-type.ts'
import { annotations, labels, managedBySvc } from '../../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../../kinds/meta/group.ts'
import { namespaceOf } from '../../../kinds/meta/namespaces.ts'
import type { Project } from '../../../kinds/projects/kind.ts'
import { backupKeyPurpose } from '../../../kinds/secrets/named-secret.ts'
import { environmentNamespace } from '../../../kinds/projects/manifests.ts'
import { createWorkerCaches, type WorkerCaches } from '../../../temporal/caches/worker-caches.ts'
import { eventually } from '../../cluster/eventually.ts'
import { createProject, type TestRecords, useRecords } from '../../harness/records.ts'
import { withoutWorker } from '../../harness/worker.ts'

const pod = { metadata: { labels: { app: 'late' } }, spec: { containers: [{ name: 'late', image: 'svc/hello:1' }] } }
const selector = { matchLabels: pod.metadata.labels }
const job = { template: { spec: { ...pod.spec, restartPolicy: 'Never' } }, suspend: true }
const storage = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
const unused = { [annotations.unused]: 'true' }

describe('objects of records that are gone', function () {
  this.timeout(90_000)
  let records: TestRecords
  let caches: WorkerCaches
  let project: Project
  let namespace: string

  before(async () => {
    await withoutWorker()
    records = await useRecords()
    caches = createWorkerCaches(records.client, silentLog)
    await caches.start()
  })
  beforeEach(async () => {
    project = await createProject(records)
    namespace = namespaceOf(project.metadata.name, 'production')
    await records.client.create(coreTypes.namespace, environmentNamespace(project, 'production', 'baseline'))
    await eventually('it is seen', () => caches.children.namespaces.get(namespace) !== undefined)
  })
  afterEach(async () => {
    await removeProject()
    await records.client.delete({ type: coreTypes.namespace, name: namespace })
  })
  after(() => caches.stop())

  /** Past svc, as its finalizer is taken off by hand. */
  async function removeProject() {
    const { name, uid = '' } = project.metadata
    await records.projects.edit(name, (it) => ({ ...it, metadata: { ...it.metadata, finalizers: [] } }))
    await records.projects.remove(name, uid)
  }
  const needs = () =>
    ({
      ...records,
      children: caches.children,
      discovery: createDiscovery(records.client),
    }) as unknown as ActivityNeeds // all that the sweep uses
  const minute = 60_000
  const sweep = (before = Date.now() + minute) => sweepOrphans(needs(), before)
  const ownerOf = () => randomBytes(8).toString('hex')

  type Made = [type: ResourceType, name: string, content?: object, annotations?: Record<string, string>]
  /** Objects as a pass makes them, in the environment; resolves once the caches have them. */
  async function make(owner: string, made: readonly Made[], where = namespace) {
    for (const [type, name, content, notes] of made) {
      const { group, version, kind } = type
      await records.client.create<KubeObject>(type, {
        apiVersion: group === '' ? version : `${group}/${version}`,
        kind,
        metadata: {
          name,
          namespace: where,
          labels: { [labels.managedBy]: managedBySvc, [labels.owner]: owner },
          ...(notes === undefined ? {} : { annotations: notes }),
        },
        ...content,
      })
    }
    const { deployments, jobs, services, statefulSets } = caches.children
    const cachedIn = new Map([
      [coreTypes.deployment.kind, deployments.get.bind(deployments)],
      [coreTypes.job.kind, jobs.get.bind(jobs)],
      [coreTypes.service.kind, services.get.bind(services)],
      [coreTypes.statefulSet.kind, statefulSets.get.bind(statefulSets)],
    ] as [string, (name: string, namespace: string) => unknown][])
    await eventually('they are seen', () =>
      made.every(([type, name]) => cachedIn.get(type.kind)?.(name, where) !== undefined || !cachedIn.has(type.kind)),
    )
  }
  /** Those that are there and are not being deleted. */
  async function left(made: readonly Made[], where = namespace): Promise<string[]> {
    const found = await Promise.all(
      made.map(([type, name]) => records.client.get<KubeObject>({ type, namespace: where, name })),
    )
    return found.flatMap((it) => (it === undefined || it.metadata.deletionTimestamp !== undefined ? [] : [it.kind]))
  }
  const parts: readonly Made[] = [
    [coreTypes.service, 'late', { spec: { ports: [{ port: 80 }] } }],
    [coreTypes.configMap, 'late'],
    [coreTypes.secret, 'late'],
    [coreTypes.job, 'late', { spec: job }],
    [coreTypes.deployment, 'late', { spec: { replicas: 0, selector, template: pod } }],
  ]

  it('go, of every kind, with the volume that nothing has used', async () => {
    const all: readonly Made[] = [
      ...parts,
      [coreTypes.statefulSet, 'late', { spec: { replicas: 0, serviceName: 'late', selector, template: pod } }],
      [coreTypes.persistentVolumeClaim, 'late', { spec: storage }, unused],
    ]
    await make(ownerOf(), all)
    expect(await left(all)).to.have.length(all.length)
    await sweep()
    expect(await left(all)).to.deep.equal([])
  })

  it('stay while the record is there, also where no cache has it yet', async () => {
    const cache = { list: () => [] }
    const behind = { ...needs(), projects: { ...records.projects, cache } } as unknown as ActivityNeeds
    await make(project.metadata.uid ?? '', parts)
    await sweepOrphans(behind, Date.now() + minute)
    await sweep()
    expect(await left(parts)).to.have.length(parts.length)
  })

  it('stay while they are young', async () => {
    await make(ownerOf(), parts)
    await sweep(Date.now() - minute)
    expect(await left(parts)).to.have.length(parts.length)
  })

  it('all stay where a volume was in use: that record was removed past svc, and its data not at all', async () => {
    const all: readonly Made[] = [...parts, [coreTypes.persistentVolumeClaim, 'late', { spec: storage }]]
    await make(ownerOf(), all)
    await sweep()
    expect(await left(all)).to.have.length(all.length)
  })

  it('stay where they are to outlive it: the drop of a logical database, the key of the backups', async () => {
    const owner = ownerOf()
    const drop: readonly Made[] = [[coreTypes.job, `drop-u-${owner}`, { spec: job }]]
    const key = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: `key-${owner}`,
        namespace: systemNamespace,
        labels: { [labels.owner]: owner, [labels.purpose]: backupKeyPurpose },
      },
    }
    await records.client.create(coreTypes.secret, key)
    await make(owner, [...drop, [coreTypes.configMap, 'late']])
    await sweep()
    expect(await left([...drop, [coreTypes.configMap, 'late']])).to.deep.equal(['Job'])
    expect(await left([[coreTypes.secret, key.metadata.name]], systemNamespace)).to.deep.equal(['Secret'])
    await records.client.delete({ type: coreTypes.secret, namespace: systemNamespace, name: key.metadata.name })
  })

  it('stay where a new record of the name has taken them over meanwhile', async () => {
    const secret: Made = [coreTypes.secret, 'taken']
    await make(ownerOf(), [secret])
    const ref = { type: coreTypes.secret, namespace, name: 'taken' }
    const { client } = records
    const list: typeof client.list = async (...asked) => {
      const seen = await client.list<never>(...asked)
      if (asked[0] === coreTypes.secret && asked[1]?.namespace === namespace)
        await client.patch(ref, { metadata: { labels: { [labels.owner]: project.metadata.uid ?? '' } } })
      return seen
    }
    await sweepOrphans({ ...needs(), client: { ...client, list } }, Date.now() + minute)
    expect(await left([secret])).to.deep.equal(['Secret'])
  })

  describe('whose namespace is left', () => {
    const isLeaving = async () => {
      const found = await records.client.get<KubeObject>({ type: coreTypes.namespace, name: namespace })
      return found === undefined || found.metadata.deletionTimestamp !== undefined
    }

    it('take that with them', async () => {
      await sweep()
      expect(await isLeaving()).to.equal(false)
      await removeProject()
      await sweep()
      expect(await isLeaving()).to.equal(true)
    })

    it('leave it where something else is in it', async () => {
      await removeProject()
      await records.client.create(coreTypes.persistentVolumeClaim, {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'by-hand', namespace },
        spec: storage,
      } as never) // a claim as kubectl makes it
      await sweep()
      expect(await isLeaving()).to.equal(false)
    })
  })
})
