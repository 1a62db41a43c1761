/** Databases and buckets, written by a process whose cache has not received what another wrote a moment ago. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { ResourceType } from '../../cluster/objects/resource-type.ts'
import { Problem } from '../../contract/problem.ts'
import { type Database, databaseSpec } from '../../kinds/databases/kind.ts'
import { placeLabels } from '../../kinds/meta/namespaces.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { type ObjectStore, objectStoreSpec } from '../../kinds/object-stores/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { createDatabase } from '../../records/databases/create-database.ts'
import { deployDatabase } from '../../records/databases/deploy-database.ts'
import { createLogicalDatabase } from '../../records/logical-databases/create-logical-database.ts'
import { createStore } from '../../records/object-stores/create-store.ts'
import { deployStore } from '../../records/object-stores/deploy-store.ts'
import type { CapacityRequest } from '../../records/place/capacity-needs.ts'
import { saveBackupStorage } from '../../records/projects/backup-storage.ts'
import { mintDeployRequest } from '../../records/store/edit-record.ts'
import { behindStore, createProject, freeNames, type TestRecords, useRecords } from '../harness/records.ts'
import { withoutWorker } from '../harness/worker.ts'

describe('databases and buckets of a process whose cache is late', () => {
  let records: TestRecords
  let project: Project
  let place: { project: string; environment: string }
  const asked = { actor: 'tester', requestId: 'test' }

  before(async function () {
    this.timeout(60_000)
    await withoutWorker()
    records = await useRecords()
    project = await createProject(records)
    place = { project: project.metadata.name, environment: 'production' }
  })

  const needs = () => ({
    ...records,
    names: freeNames,
    cloudConnection: records.cloudConnections.readLive,
    reserveCapacity: async () => undefined,
    expandable: () => false,
    canReplicate: async () => false,
  })
  const make = <T extends KubeObject>(type: ResourceType, spec: object): Promise<T> =>
    records.client.create<T>(type, {
      apiVersion,
      kind: type.kind,
      metadata: {
        name: `late-${randomBytes(4).toString('hex')}`,
        namespace: systemNamespace,
        labels: placeLabels(place),
      },
      spec,
    } as unknown as T) // of the kind of its type
  const database = (fields: object = {}) =>
    make<Database>(resourceTypes.database, databaseSpec.parse({ ...place, engine: 'postgres', ...fields }))
  const bucket = (name: string) =>
    make<ObjectStore>(resourceTypes.objectStore, objectStoreSpec.parse({ ...place, engine: 'Local', buckets: [name] }))
  const rename = (store: ObjectStore, buckets: string[]) =>
    records.objectStores.edit(store.metadata.name, (it) => ({ ...it, spec: { ...it.spec, buckets } }))
  const behind = <T extends KubeObject>(type: ResourceType, ...known: T[]) =>
    behindStore<T>(records.client, type, known)
  const refusal = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'not refused',
      (error: unknown) => (error instanceof Problem ? error.message : String(error)),
    )

  it('a database is deployed with the capacity of its newest settings', async () => {
    const known = await database()
    await records.databases.edit(known.metadata.name, (it) => ({
      ...it,
      spec: { ...it.spec, resources: { requests: { cpu: '3', memory: '3Gi' }, limits: { cpu: '3', memory: '3Gi' } } },
    }))
    const reserved: number[] = []
    const reserveCapacity = async (_owner: string, { perCopy }: CapacityRequest) =>
      void reserved.push(perCopy.cpuMillis)
    const databases = behind(resourceTypes.database, known)
    await deployDatabase({ ...needs(), databases, reserveCapacity }, known.metadata.name, asked)
    expect(reserved).to.deep.equal([3000])
  })

  it('a bucket is not deployed under a name that another one has', async () => {
    const [known, other] = [await bucket('media'), await bucket('taken')]
    await rename(known, ['taken'])
    const objectStores = behind(resourceTypes.objectStore, known)
    expect(await refusal(deployStore({ ...needs(), objectStores }, known.metadata.name, asked))).to.equal(
      `another bucket of this environment has this name: ${other.metadata.name}`,
    )
  })

  it('backups go to a bucket that the store was given this moment', async () => {
    const known = await bucket('first')
    await rename(known, ['first', 'second'])
    const objectStores = behind(resourceTypes.objectStore, known)
    const wanted = { connection: known.metadata.name, bucket: 'second', region: '' }
    const saved = await saveBackupStorage({ ...needs(), objectStores }, project.metadata.name, wanted)
    expect(saved.spec.backupStorage?.bucket).to.equal(`${place.project}.production.second`)
  })

  it('a logical database is made on a server that was made again this moment', async () => {
    const known = await database({ project: 'proj-00000000' })
    await records.databases.remove(known.metadata.name, known.metadata.uid ?? '')
    const { name, namespace } = known.metadata
    await records.databases.create({
      ...known,
      metadata: { name, namespace: namespace ?? '', labels: placeLabels(place) },
      spec: { ...known.spec, ...place },
    })
    const databases = behind(resourceTypes.database, known)
    const fields = { ...place, name: `${name}-shop`, server: name, database: 'shop' }
    expect(await refusal(createLogicalDatabase({ ...needs(), databases }, fields, asked))).to.equal('not refused')
  })

  it('a server of the cluster is made again whose record is gone', async () => {
    const gone = <T extends KubeObject>(record: T): T => ({
      ...record,
      metadata: { ...record.metadata, name: 'by-hand', uid: randomBytes(4).toString('hex') },
    })
    const whole = { project: '', environment: '' }
    const shared = databaseSpec.parse({ ...whole, engine: 'mysql' })
    const databases = behind(resourceTypes.database, gone({ ...(await database()), spec: shared }))
    expect(await refusal(createDatabase({ ...needs(), databases }, undefined, shared))).to.equal('not refused')
    const server = objectStoreSpec.parse({ engine: 'Local' })
    const objectStores = behind(resourceTypes.objectStore, gone({ ...(await bucket('data')), spec: server }))
    const request = mintDeployRequest(asked, records.now())
    const again = createStore({ ...needs(), objectStores }, undefined, server, request, false)
    expect(await refusal(again)).to.equal('not refused')
  })
})
