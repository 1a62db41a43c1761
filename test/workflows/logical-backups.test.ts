/**
 * Backups of logical databases on the shared server, on the simulated cluster with a real object server and a real
 * postgres: taken with the login that is mounted in the pod, on demand, by schedule and before a deletion.
 */
import { expect } from 'chai'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { archiveName, backupJobName, drillJobName, lastArchiveName } from '../../kinds/backup-archives/names.ts'
import { isVerified } from '../../kinds/backup-archives/rules.ts'
import { lastSlot } from '../../kinds/backup-archives/schedule.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { askLogicalBackup } from '../../records/backups/ask-logical-backup.ts'
import { chooseLastBackup } from '../../records/backups/last-backup.ts'
import { eventually } from '../cluster/eventually.ts'
import { engineWithinMs } from '../harness/engines.ts'
import { minioWithinMs } from '../harness/minio.ts'
import { secretValues } from '../harness/object-server.ts'
import { until } from '../harness/records.ts'
import { resyncUntil } from '../harness/resync.ts'
import { startTestWorker } from '../harness/worker.ts'
import { type LogicalBackupWorld, openLogicalBackupWorld } from './logical-backup-world.ts'

describe('the backup of a logical database', function () {
  this.timeout(120_000)
  let world: LogicalBackupWorld
  let otter: LogicalDatabase
  let archive: BackupArchive

  before(async function () {
    this.timeout(minioWithinMs + engineWithinMs)
    world = await openLogicalBackupWorld((env) => startTestWorker({}, 'temporal/main.ts', env))
    otter = await world.holding('otter', { backups: { enabled: true, retentionDays: 2 } })
    await world.holding('beaver')
  })
  after(async function () {
    this.timeout(120_000)
    await world?.end()
  })

  const untilMessage = (database: LogicalDatabase, message: string) =>
    until(
      world.records.logicalDatabases,
      database,
      (record) => readyOf(record?.status?.conditions)?.message === message,
      message,
    )
  const take = async (of: BackupArchive): Promise<BackupArchive> => {
    const end = await world.play(backupJobName(of.metadata.name), world.pod)
    expect(end.code, end.log).to.equal(0)
    return world.untilState(of, 'ready')
  }
  const remove = async ({ metadata }: LogicalDatabase): Promise<void> => {
    await world.records.logicalDatabases.remove(metadata.name, metadata.uid ?? '')
  }
  const untilGone = ({ metadata }: LogicalDatabase) =>
    eventually(
      'it is gone',
      async () => (await world.records.logicalDatabases.readLive(metadata.name)) === undefined,
      60_000,
    )

  it('is begun once its time has come, has that database alone, and leaves nothing of its Job', async () => {
    await resyncUntil('it is asked for', () => world.backupsOf(otter).length === 1)
    const [asked] = world.backupsOf(otter)
    if (asked === undefined) throw new Error('unreachable')
    archive = await take(asked)
    const { uid = '', name } = otter.metadata
    expect(archive.metadata.name).to.equal(archiveName(name, lastSlot(uid, new Date())))
    expect(archive.spec).to.include({
      databaseKind: 'LogicalDatabase',
      database: name,
      databaseName: otter.status?.database,
      engine: 'postgres',
      trigger: 'Schedule',
    })
    expect(archive.status?.counts).to.deep.equal({ tables: 1, rows: 1 })
    expect((await world.files()).filter((file) => file.startsWith(`${archive.spec.path}/`))).to.have.members([
      `${archive.spec.path}/${otter.status?.database}.dump.bin`,
      `${archive.spec.path}/manifest.sha256.bin`,
    ])
    expect(await secretValues(homeOf(otter.spec), backupJobName(archive.metadata.name))).to.equal(undefined)
  })

  it('is restored on trial by the next comparison of all records', async () => {
    const drilled = async () =>
      (await world.records.backupArchives.readLive(archive.metadata.name))?.metadata.annotations?.['svc.dev/drill']
    await resyncUntil('a drill is asked for', async () => (await drilled()) !== undefined)
    const server = await world.drilling()
    const end = await world.play(drillJobName(archive.metadata.name), server)
    expect(end.code, end.log).to.equal(0)
    await server.stop()
    const proven = await world.untilDrilled(archive)
    expect(proven.status?.drill).to.include({ outcome: 'Proven', message: '1 tables, 1 rows' })
  })

  it('goes once it is older than it is kept and a newer one is whole', async () => {
    const longAgo = new Date(Date.now() - 3 * 24 * 3_600_000).toISOString()
    await world.records.client.patch(
      { type: resourceTypes.backupArchive, namespace: systemNamespace, name: archive.metadata.name },
      { status: { firstRestorePoint: longAgo, lastRestorePoint: longAgo } },
      { subresource: 'status' },
    )
    const name = archiveName(otter.metadata.name, new Date())
    await take(await askLogicalBackup(world.records, otter, { name, trigger: 'Manual' }))
    await resyncUntil(
      'the old one is gone',
      () => !world.backupsOf(otter).some(({ metadata }) => metadata.name === archive.metadata.name),
    )
    expect((await world.files()).some((file) => file.startsWith(`${archive.spec.path}/`))).to.equal(false)
  })

  it('of one that is gone fails at once', async () => {
    const gone = await world.holding('gone')
    const fields = { name: archiveName(gone.metadata.name, new Date()), trigger: 'Manual' } as const
    const { metadata } = gone
    await remove(gone)
    const asked = await world.untilAsked(lastArchiveName(metadata.name, metadata.uid ?? ''))
    await chooseLastBackup(world.records.logicalDatabases, world.records.backupArchives, gone, false)
    await untilGone(gone)
    await world.untilGone(asked)
    const of = { ...asked.spec, trigger: 'Manual' as const, path: `${asked.spec.path}-more` }
    const late = await world.records.backupArchives.create({ ...asked, metadata: { name: fields.name, namespace: systemNamespace }, spec: of }) // prettier-ignore
    const { status } = await world.untilState(late, 'failed')
    const message = `logical database ${metadata.name} is gone, so nothing of it can be backed up`
    expect(readyOf(status?.conditions)?.message).to.equal(message)
  })

  it('is taken before its deletion, which waits for it, and is kept for the days of its database', async () => {
    const last = await world.holding('heron', { backups: { retentionDays: 3 } })
    await remove(last)
    const asked = await world.untilAsked(lastArchiveName(last.metadata.name, last.metadata.uid ?? ''))
    expect(asked.spec).to.include({ trigger: 'Deletion', keepDays: 3, databaseKind: 'LogicalDatabase' })
    await untilMessage(last, `waiting for backup ${asked.metadata.name}: the backup is being stored`)
    await take(asked)
    await untilGone(last)
    const [whole, ...others] = world.backupsOf(last)
    expect(others).to.deep.equal([])
    expect(whole !== undefined && isVerified(whole)).to.equal(true)
    const longAgo = new Date(Date.now() - 4 * 24 * 3_600_000).toISOString()
    await world.records.client.patch(
      { type: resourceTypes.backupArchive, namespace: systemNamespace, name: asked.metadata.name },
      { status: { firstRestorePoint: longAgo, lastRestorePoint: longAgo } },
      { subresource: 'status' },
    )
    await resyncUntil('it has gone after its days', () => world.backupsOf(last).length === 0)
  })

  it('that fails before a deletion keeps the database until it is deleted again, with another one or without', async () => {
    const database = await world.holding('lynx')
    const { logicalDatabases, backupArchives } = world.records
    await remove(database)
    const name = lastArchiveName(database.metadata.name, database.metadata.uid ?? '')
    const first = await world.untilAsked(name)
    await world.endPod(backupJobName(name), 1, 'the dump of the database failed')
    const failed =
      'the last backup failed: the dump of the database failed; delete the logical database again to try it again, or with backupFirst off to go without it'
    await untilMessage(database, failed)
    await chooseLastBackup(logicalDatabases, backupArchives, database, true)
    const second = await world.untilAsked(name, first)
    await world.endPod(backupJobName(name), 1, 'the dump of the database failed')
    await untilMessage(database, failed)
    await chooseLastBackup(logicalDatabases, backupArchives, database, false)
    await untilGone(database)
    await world.untilGone(second)
  })
})
