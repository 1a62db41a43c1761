/**
 * Databases that wait for a backup: before their deletion and before another version opens their data. The pods of the
 * Jobs are played, as in test/workflows/backups.test.ts.
 */
import { expect } from 'chai'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { backupJobName, lastArchiveName } from '../../kinds/backup-archives/names.ts'
import { isVerified } from '../../kinds/backup-archives/rules.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { askDatabaseDeletion } from '../../records/databases/ask-deletion.ts'
import { withRequest } from '../../kinds/provision/draft.ts'
import { eventually } from '../cluster/eventually.ts'
import { minioWithinMs } from '../harness/minio.ts'
import { resyncUntil } from '../harness/resync.ts'
import { startTestWorker } from '../harness/worker.ts'
import { type BackupWorld, openBackupWorld } from './backup-world.ts'
import { edit, liveSet, ownedBy, remove, retry, untilGone, untilSaid, untilState } from './database-world.ts'

describe('a database that waits for a backup', function () {
  this.timeout(120_000)
  let world: BackupWorld

  before(async function () {
    this.timeout(minioWithinMs)
    world = await openBackupWorld((env) => startTestWorker({}, 'temporal/main.ts', env))
    await world.engine.put('otter')
  })
  after(async function () {
    this.timeout(120_000)
    await world?.end()
  })

  const lastOf = ({ metadata }: Database) => lastArchiveName(metadata.name, metadata.uid ?? '')
  const own = ({ metadata }: Database): BackupArchive[] =>
    world.records.backupArchives.cache.list().filter(({ spec }) => spec.databaseUid === metadata.uid)
  const playBackup = async ({ metadata }: BackupArchive): Promise<void> => {
    const end = await world.play(backupJobName(metadata.name))
    expect(end.code, end.log).to.equal(0)
  }
  const fail = ({ metadata }: BackupArchive): Promise<void> =>
    world.endPod(backupJobName(metadata.name), 1, 'the dump of the database failed')
  const askAgain = (database: Database, backupFirst: boolean): Promise<string[]> =>
    askDatabaseDeletion(world.records, database, database.metadata.name, { backupFirst })
  const untilOwn = (database: Database, count: number): Promise<void> =>
    eventually(`it has ${count} backups`, () => own(database).length === count, 30_000)
  const lastFailed =
    'the last backup failed: the dump of the database failed; delete the database again to try it again, or with backupFirst off to go without it'

  it('deleted it keeps its server until the last backup is whole, and the backup for its days', async () => {
    const database = await world.another({ backups: { enabled: false, retentionDays: 3 } })
    await remove(world.records, database)
    const archive = await world.untilAsked(lastOf(database))
    expect(archive.spec).to.include({ trigger: 'Deletion', keepDays: 3, database: database.metadata.name })
    const waits = `waiting for backup ${archive.metadata.name}: the backup is being stored`
    await untilSaid(world.records, database, waits)
    expect((await liveSet(world.records, database))?.metadata.deletionTimestamp).to.equal(undefined)
    await playBackup(archive)
    await untilGone(world.records, database)
    expect(await ownedBy(world.records, database)).to.deep.equal([])
    const [whole, ...others] = own(database)
    expect(others).to.deep.equal([])
    expect(whole !== undefined && isVerified(whole)).to.equal(true)
    const longAgo = new Date(Date.now() - 4 * 24 * 3_600_000).toISOString()
    await world.records.client.patch(
      { type: resourceTypes.backupArchive, namespace: systemNamespace, name: archive.metadata.name },
      { status: { firstRestorePoint: longAgo, lastRestorePoint: longAgo } },
      { subresource: 'status' },
    )
    await resyncUntil('it has gone after its days', () => own(database).length === 0)
  })

  it('whose last backup fails says so and stays, until it is deleted again, with another one or without', async () => {
    const database = await world.another()
    await remove(world.records, database)
    const archive = await world.untilAsked(lastOf(database))
    await fail(archive)
    await untilSaid(world.records, database, lastFailed)
    expect(await askAgain(database, true)).to.deep.equal([])
    const tried = await world.untilAsked(lastOf(database), archive)
    await fail(tried)
    await untilSaid(world.records, database, lastFailed)
    expect((await liveSet(world.records, database))?.metadata.deletionTimestamp).to.equal(undefined)
    expect(await askAgain(database, false)).to.deep.equal([])
    await untilGone(world.records, database)
    await world.untilGone(tried)
  })

  it('deleted without a backup goes at once, and leaves none that is half made', async () => {
    const database = await world.another()
    await askAgain(database, false)
    await untilGone(world.records, database)
    await untilOwn(database, 0)
  })

  it('gets another version once its data is backed up; when that fails it stays on the one it has', async () => {
    const database = await world.another({ version: '8.36.0' })
    const image = async () => (await liveSet(world.records, database))?.spec?.template.spec?.containers[0]?.image
    const before = await image()
    await edit(world.records, database, { version: '8.37.0' })
    await untilOwn(database, 1)
    const [first] = own(database)
    if (first === undefined) throw new Error('unreachable')
    expect(first.spec).to.include({ trigger: 'Upgrade', version: '8.36.0' })
    await fail(first)
    const said =
      'the backup before version 8.37.0 failed: the dump of the database failed; retry, or deploy with backupFirst off'
    await untilSaid(world.records, database, said, 'ProvisionFailed')
    expect(await image()).to.equal(before)
    await retry(world.records, database)
    await untilOwn(database, 2)
    const second = own(database).find(({ metadata }) => metadata.name !== first.metadata.name)
    if (second === undefined) throw new Error('unreachable')
    await playBackup(second)
    await untilState(world.records, database, 'ready')
    expect(await image()).to.include('8.37.0')
    await world.records.databases.edit(database.metadata.name, (current) =>
      withRequest<Database['spec'], Database>(
        { ...current, spec: { ...current.spec, version: '8.38.0' } },
        { id: 'a', actor: 'somebody', requestId: 'b', at: new Date().toISOString(), withoutBackup: true },
      ),
    )
    await untilState(world.records, database, 'ready')
    expect(await image()).to.include('8.38.0')
    expect(own(database)).to.have.length(2)
  })
})
