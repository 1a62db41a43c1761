/**
 * Logical databases that fail, on the simulated cluster: what counts as a failure, and how they recover. Their servers
 * are stand-ins.
 */
import { expect } from 'chai'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { createJobName } from '../../kinds/logical-databases/names.ts'
import { logicalDatabaseState } from '../../kinds/logical-databases/rules.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { until } from '../harness/records.ts'
import {
  createLogical,
  jobOf,
  type ServedWorld,
  openLogicalWorld,
  openServedWorld,
  remove,
  retry,
  removeServer,
  standInServer,
  untilGone,
  untilReady,
  untilSaid,
} from './logical-world.ts'

describe('logical databases that fail', function () {
  this.timeout(90_000)
  let world: ServedWorld

  before(async () => {
    world = await openServedWorld()
  })
  after(() => world.close())

  const untilFailed = (record: LogicalDatabase, message: string) => untilSaid(world, record, 'ProvisionFailed', message)

  it('for a name that cannot be rest as failed after failed passes in a row, and go on when it is edited', async () => {
    const record = await world.onOwn('my-shop')
    const refusal = 'databaseName must use letters, digits, and underscores, and not start with a digit'
    await untilSaid(world, record, 'ReconcileError', refusal)
    const failed = await untilFailed(record, refusal)
    expect(logicalDatabaseState(failed)).to.deep.equal({ state: 'failed', message: refusal })
    await world.records.logicalDatabases.edit(record.metadata.name, (current) => ({
      ...current,
      spec: { ...current.spec, databaseName: 'my_shop' },
    }))
    await untilReady(world, record)
  })

  it('for required node tags that the shared server does not cover; a failed one waits for its retry, whatever the tags become', async () => {
    const other = await openLogicalWorld({ requiredTags: ['hipaa'] })
    const record = await createLogical(other, 'shared-postgres')
    const message = 'server shared-postgres is not on nodes with the required tags of the project: hipaa'
    await untilSaid(other, record, 'ReconcileError', message)
    const failed = await untilSaid(other, record, 'ProvisionFailed', message)
    await other.records.projects.edit(other.project.metadata.name, (current) => ({
      ...current,
      spec: { ...current.spec, requiredTags: [] },
    }))
    // A database that only the edit permits is ready, so the worker has received the edit.
    await untilReady(other, await createLogical(other, 'shared-postgres', { databaseName: 'witness' }))
    expect((await other.records.logicalDatabases.readLive(record.metadata.name))?.metadata.resourceVersion).to.equal(
      failed.metadata.resourceVersion,
    )
    await retry(world, record)
    await untilReady(other, record)
    await other.records.projects.remove(other.project.metadata.name, other.project.metadata.uid ?? '')
    await untilGone(other, record)
    await until(other.records.projects, other.project, (seen) => seen === undefined, 'gone')
  })

  it('since two would be one database, and the later has it when the first is gone', async () => {
    const first = await untilReady(world, await world.onShared('orders'))
    const second = await world.onShared('Orders')
    const message = `the server has a database named ${first.status?.database} already: ${first.metadata.name}`
    await untilFailed(second, message)
    await remove(world, first)
    await untilGone(world, first)
    await retry(world, second)
    await untilReady(world, second)
  })

  it('at once when their Job failed: database creation Job failed; a retry makes it anew', async () => {
    // Simulated pods with this image name exit with code 1.
    const server = await standInServer(world, { version: '16-crash' })
    const record = await createLogical(world, server.metadata.name)
    const failed = await until(
      world.records.logicalDatabases,
      record,
      (seen) => readyOf(seen?.status?.conditions)?.reason === 'ProvisionFailed',
      'failed',
    )
    expect(readyOf(failed.status?.conditions)?.message).to.equal('database creation Job failed')
    const before = await jobOf(world, world.place, createJobName(record.metadata.name))
    await world.records.databases.edit(server.metadata.name, (current) => ({
      ...current,
      spec: { ...current.spec, version: '16' },
    }))
    await retry(world, record)
    await untilReady(world, record)
    expect((await jobOf(world, world.place, createJobName(record.metadata.name)))?.metadata.uid).not.to.equal(
      before?.metadata.uid,
    )
    await remove(world, record)
    await untilGone(world, record)
    await removeServer(world.records, server)
  }).timeout(150_000) // a Job waits between two of its pods
})
