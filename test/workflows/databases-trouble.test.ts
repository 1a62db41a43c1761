/**
 * Failures of a database: its status names what it waits for, it fails with a message, recovers when the cause is gone,
 * and is removed when its record is deleted.
 */
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { databaseState } from '../../kinds/databases/draft.ts'
import { type LogicalDatabase, logicalDatabaseSpec } from '../../kinds/logical-databases/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { homeOf, namespaceOf } from '../../kinds/meta/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { type TestRecords, until } from '../harness/records.ts'
import {
  createDatabase,
  edit,
  eventsOf,
  liveSet,
  ownedBy,
  remove,
  retry,
  untilGone,
  untilSaid,
  untilState,
} from './database-world.ts'
import { openWorld } from './service-world.ts'

describe('trouble with a database', function () {
  this.timeout(120_000)
  let records: TestRecords
  let project: Project

  before(async () => {
    ;({ records, project } = await openWorld())
  })
  after(async () => {
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
  })

  it('as a draft it rests without a finalizer, and is gone at once when it is deleted', async () => {
    const database = await createDatabase(records, project, { deploy: { enabled: false } })
    expect(databaseState(database).state).to.equal('draft')
    await remove(records, database)
    await untilGone(records, database)
    expect(await ownedBy(records, database)).to.deep.equal([])
  })

  it('waits for an environment that its project does not have', async () => {
    const database = await createDatabase(records, project, { environment: 'elsewhere' })
    await untilSaid(
      records,
      database,
      `project ${project.metadata.name} has no environment elsewhere`,
      'ReconcileError',
    )
    await remove(records, database)
    await untilGone(records, database)
  })

  it('reports that its server keeps exiting, recovers by an edit, and can be deleted meanwhile', async () => {
    const crashing = { version: '16-crash' }
    const database = await createDatabase(records, project, crashing)
    await untilSaid(records, database, 'container postgres keeps exiting (Error, exit code 1)', 'ReconcileError')
    expect(databaseState((await records.databases.readLive(database.metadata.name)) ?? database).state).to.equal(
      'pending',
    )
    await edit(records, database, { version: '16.2' })
    await untilState(records, database, 'ready')
    const second = await createDatabase(records, project, crashing)
    await untilSaid(records, second, 'container postgres keeps exiting (Error, exit code 1)')
    for (const each of [database, second]) await remove(records, each)
    for (const each of [database, second]) await untilGone(records, each)
    expect(await ownedBy(records, second)).to.deep.equal([])
  })

  it('leaves a Service of another owner alone, fails in words, and is made by a retry once that is gone', async () => {
    const namespace = namespaceOf(project.metadata.name, 'production')
    const name = `taken-${Date.now()}`
    const ref = { type: coreTypes.service, namespace, name }
    await records.client.create(coreTypes.service, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace },
      spec: { ports: [{ port: 80 }] },
    } as never) // a Service as kubectl makes it
    const database = await createDatabase(records, project, { engine: 'redis' }, name)
    const said = `Service ${name} in namespace ${namespace} belongs to another owner; rename the service or remove that object`
    const failed = await until(
      records.databases,
      database,
      (record) => readyOf(record?.status?.conditions)?.reason === 'ProvisionFailed',
      'failed',
    )
    expect(readyOf(failed.status?.conditions)?.message).to.equal(said)
    expect(databaseState(failed).state).to.equal('failed')
    await records.client.delete(ref)
    await retry(records, database)
    await untilState(records, database, 'ready')
    await remove(records, database)
    await untilGone(records, database)
  })

  it('with several copies needs postgres and the operator, and says which', async () => {
    const mysql = await createDatabase(records, project, { engine: 'mysql', instances: 3 })
    await untilSaid(records, mysql, 'high availability needs the engine postgres', 'ProvisionFailed')
    const postgres = await createDatabase(records, project, { highAvailability: true })
    await untilSaid(
      records,
      postgres,
      'high availability needs the CloudNativePG operator, which is not installed on this cluster',
      'ReconcileError',
    )
    await edit(records, postgres, { highAvailability: false })
    await untilState(records, postgres, 'ready')
    await edit(records, postgres, { instances: 3 })
    await untilSaid(
      records,
      postgres,
      'this database runs as a single instance; create a new one with high availability and move the data',
      'ProvisionFailed',
    )
    for (const each of [mysql, postgres]) await remove(records, each)
    for (const each of [mysql, postgres]) await untilGone(records, each)
  })

  it('with a first database that no engine takes is refused in words', async () => {
    const database = await createDatabase(records, project, { databaseName: "x'; DROP" })
    await untilSaid(
      records,
      database,
      'databaseName must use letters, digits, and underscores, and not start with a digit',
      'ProvisionFailed',
    )
    expect(await liveSet(records, database)).to.equal(undefined)
    await remove(records, database)
    await untilGone(records, database)
  })

  it('deleted with kubectl it waits for the logical databases on it, names them, and says once what it removes', async () => {
    const database = await untilState(records, await createDatabase(records, project), 'ready')
    const { name } = database.metadata
    const tenant: LogicalDatabase & { apiVersion: string; kind: string } = {
      apiVersion,
      kind: resourceTypes.logicalDatabase.kind,
      metadata: { name: `${name}-tenant`, namespace: systemNamespace },
      spec: logicalDatabaseSpec.parse({
        project: project.metadata.name,
        environment: 'production',
        serverRef: name,
        databaseName: 'orders',
      }),
    }
    const made = await records.logicalDatabases.create(tenant)
    await until(records.logicalDatabases, made, (record) => (record?.metadata.finalizers ?? []).length > 0, 'accepted')
    await remove(records, database)
    const held = await untilSaid(
      records,
      database,
      `delete the logical databases on this server first: ${name}-tenant`,
      'ReconcileError',
    )
    expect(databaseState(held)).to.deep.equal({
      state: 'deleting',
      message: `delete the logical databases on this server first: ${name}-tenant`,
    })
    expect((await liveSet(records, database))?.metadata.deletionTimestamp, 'it still runs').to.equal(undefined)
    await records.logicalDatabases.remove(made.metadata.name, made.metadata.uid ?? '')
    await untilGone(records, database)
    expect(await eventsOf(records, database, 'Removing')).to.deep.equal([
      `removes StatefulSet ${name}, Service ${name}-rw, PersistentVolumeClaim data-${name}-0, Secret ${name}-admin, Secret ${name}-connection, ` +
        `Secret ${name}-password, ServiceAccount ${name}, and the data with them`,
    ])
  })

  it('the shared server of the cluster lives in svc-system, without a project', async () => {
    const database = await untilState(
      records,
      await createDatabase(records, undefined, { storageSize: '1Gi' }, 'shared-postgres'),
      'ready',
    )
    expect(homeOf(database.spec)).to.equal(systemNamespace)
    expect(database.status).to.include({ host: 'shared-postgres-rw.svc-system.svc', targetNamespace: systemNamespace })
    await remove(records, database)
    await untilGone(records, database)
    expect(await ownedBy(records, database)).to.deep.equal([])
  })
})
