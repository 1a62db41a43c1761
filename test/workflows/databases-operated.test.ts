/** Postgres run by CloudNativePG: its published definition is on the cluster, the test stands in for its controller. */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { databaseState } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { postgresCluster } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { installOperatorKinds } from '../harness/cnpg/install.ts'
import type { TestRecords } from '../harness/records.ts'
import { withoutWorker } from '../harness/worker.ts'
import {
  createDatabase,
  edit,
  liveSet,
  remove,
  secretTexts,
  untilGone,
  untilSaid,
  untilState,
} from './database-world.ts'
import { openWorld } from './service-world.ts'

type Cluster = KubeObject & { spec: Record<string, unknown> }

/** The worker reads what the API serves again after half a minute. */
const noticedMs = 90_000

describe('a postgres of CloudNativePG (the test stands in for its controller)', function () {
  this.timeout(180_000)
  let records: TestRecords
  let project: Project
  let database: Database
  let uninstall: (() => Promise<void>) | undefined

  before(async () => {
    ;({ records, project } = await openWorld())
  })
  after(async () => {
    await uninstall?.()
    await withoutWorker() // it still holds that the operator is installed
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
  })

  const ref = () => ({ type: postgresCluster, namespace: homeOf(database.spec), name: database.metadata.name })
  const writeStatus = (status: object) => records.client.patch(ref(), { status }, { subresource: 'status' })
  const pod = (copy: number) => ({
    type: coreTypes.pod,
    namespace: homeOf(database.spec),
    name: `${database.metadata.name}-${copy}`,
  })
  const makePod = (copy: number): Promise<unknown> =>
    records.client.create(coreTypes.pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: pod(copy).name,
        namespace: pod(copy).namespace,
        // The labels that inheritedMetadata asks for.
        labels: { [labels.managedBy]: 'svc', [labels.owner]: database.metadata.uid ?? '' },
      },
      spec: { containers: [{ name: 'postgres', image: 'ghcr.io/cloudnative-pg/postgresql:16' }] },
    } as never) // a pod as the operator makes it

  it('waits for the operator, and goes on by itself once that is installed', async () => {
    database = await createDatabase(records, project, {
      highAvailability: true,
      databaseName: 'orders',
      runOn: { tags: [] },
    })
    await untilSaid(
      records,
      database,
      'high availability needs the CloudNativePG operator, which is not installed on this cluster',
      'ReconcileError',
    )
    uninstall = await installOperatorKinds(records.client)
    await eventually('a Cluster is asked for', async () => (await records.client.get(ref())) !== undefined, noticedMs)
    await untilSaid(records, database, 'waiting for the operator to begin', 'ReconcileError')
  })

  it('is asked for in words that the published definition keeps, with passwords that svc made', async () => {
    const { name } = database.metadata
    const cluster = await records.client.get<Cluster>(ref())
    const size = { cpu: '250m', memory: '512Mi' }
    expect(cluster?.spec).to.deep.include({
      instances: 3,
      imageName: 'ghcr.io/cloudnative-pg/postgresql:16',
      enableSuperuserAccess: true,
      superuserSecret: { name: `${name}-admin` },
      resources: { requests: size, limits: size },
    })
    expect(cluster?.spec['storage']).to.include({ size: '10Gi' })
    expect(cluster?.spec['bootstrap'])
      .to.have.property('initdb')
      .that.deep.includes({
        database: 'orders',
        owner: name.replaceAll('-', '_'),
        secret: { name: `${name}-password` },
      })
    expect(cluster?.spec['inheritedMetadata'])
      .to.have.property('labels')
      .that.includes({ [labels.owner]: database.metadata.uid })
    expect(await liveSet(records, database), 'no instance of our own').to.equal(undefined)
    expect(await secretTexts(records, database, 'admin')).to.include({ username: 'postgres' })
  })

  it('says how far the operator is, and is ready with all copies', async () => {
    await writeStatus({ phase: 'Setting up primary', readyInstances: 0 })
    await untilSaid(records, database, '0 of 3 copies ready; the operator says: Setting up primary', 'ReconcileError')
    for (const copy of [1, 2, 3]) await makePod(copy)
    await writeStatus({ phase: 'Cluster in healthy state', readyInstances: 3 })
    const ready = await untilState(records, database, 'ready')
    expect(ready.status).to.include({
      operated: true,
      host: `${database.metadata.name}-rw.${homeOf(database.spec)}.svc`,
      port: 5432,
    })
    expect(await secretTexts(records, database, 'connection')).to.include({ database: 'orders', port: '5432' })
  })

  it('that loses a copy is pending until it is back', async () => {
    await writeStatus({ phase: 'Failing over', phaseReason: 'a copy is gone', readyInstances: 2 })
    await records.client.delete(pod(3))
    await untilSaid(
      records,
      database,
      '2 of 3 copies ready; the operator says: Failing over: a copy is gone',
      'ReconcileError',
    )
    await writeStatus({ phase: 'Cluster in healthy state', phaseReason: '', readyInstances: 3 })
    await makePod(3)
    await untilState(records, database, 'ready')
  })

  it('is not ready again before the operator has begun with another size', async () => {
    const copies = [1, 2, 3]
    const writeMade = async (memory: string) => {
      const limits = { cpu: '250m', memory }
      const image = 'ghcr.io/cloudnative-pg/postgresql:16'
      const note = JSON.stringify({ containers: [{ name: 'postgres', image, resources: { limits } }] })
      for (const copy of copies)
        await records.client.patch(pod(copy), { metadata: { annotations: { 'cnpg.io/podSpec': note } } })
    }
    await writeMade('512Mi')
    await edit(records, database, { resources: { requests: { memory: '1024Mi' } } })
    await untilSaid(records, database, 'waiting for the operator to begin', 'ReconcileError')
    await writeMade('1Gi')
    await untilState(records, database, 'ready')
  })

  it('gets another number of copies by an edit', async () => {
    await edit(records, database, { instances: 5 })
    await untilSaid(
      records,
      database,
      '3 of 5 copies ready; the operator says: Cluster in healthy state',
      'ReconcileError',
    )
    expect((await records.client.get<Cluster>(ref()))?.spec['instances']).to.equal(5)
    for (const copy of [4, 5]) await makePod(copy)
    await writeStatus({ readyInstances: 5 })
    await untilState(records, database, 'ready')
  })

  it('lets backups copy it once it keeps any, beside those that the operator was asked for by another owner', async () => {
    const backup = {
      barmanObjectStore: {
        destinationPath: 's3://elsewhere',
        s3Credentials: { accessKeyId: { name: 'own', key: 'id' }, secretAccessKey: { name: 'own', key: 'secret' } },
      },
    }
    const rule = 'host all all 10.9.9.9/32 reject'
    await records.client.patch(ref(), { spec: { backup, postgresql: { pg_hba: [rule] } } })
    await edit(records, database, { backups: { enabled: true, retentionDays: 7 } })
    const specNow = async () => (await records.client.get<Cluster>(ref()))?.spec
    const isSet = async () => 'parameters' in Object((await specNow())?.['postgresql'])
    await eventually('the settings are there', isSet)
    const spec = await specNow()
    expect(spec?.['postgresql']).to.deep.include({ pg_hba: [rule, 'host replication postgres all scram-sha-256'] })
    expect(spec?.['postgresql']).to.have.property('parameters').that.includes({ max_slot_wal_keep_size: '1024MB' })
    expect(spec?.['backup']).to.have.property('barmanObjectStore').that.deep.includes(backup.barmanObjectStore)
  })

  it('is removed by way of its Cluster, and waits for the pods of the operator', async () => {
    await remove(records, database)
    const held = await untilSaid(records, database, 'waiting for the server to stop', 'ReconcileError')
    expect(databaseState(held).state).to.equal('deleting')
    expect(readyOf(held.status?.conditions)?.status).to.equal('False')
    expect(await records.client.get(ref())).to.equal(undefined)
    for (const copy of [1, 2, 3, 4, 5]) await records.client.delete(pod(copy))
    await untilGone(records, database)
    expect(await secretTexts(records, database, 'password')).to.equal(undefined)
  })
})
