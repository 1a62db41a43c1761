/**
 * What webhooks receive of backups: once each time they turn bad, whichever process dies meanwhile. The pods of the
 * Jobs are played, the receivers are real.
 */
import { Webhook } from 'standardwebhooks'
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { notifyBackups } from '../../activities/webhooks/notify-backups.ts'
import { askedDrill } from '../../kinds/backup-archives/drills.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { archiveName, backupJobName, drillJobName } from '../../kinds/backup-archives/names.ts'
import { badBackupsOf, withBadBackups } from '../../kinds/databases/bad-backups.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { askBackup } from '../../records/backups/ask-backup.ts'
import { eventually } from '../cluster/eventually.ts'
import { minioWithinMs } from '../harness/minio.ts'
import { until } from '../harness/records.ts'
import { resyncUntil } from '../harness/resync.ts'
import { startTestWorker } from '../harness/worker.ts'
import { type BackupWorld, openBackupWorld } from './backup-world.ts'
import { type Hook, hookOf } from './delivery-world.ts'

const counts = { tables: 3, rows: 9 }
const loss = 'what was restored has 3 tables, 8 rows, and the backup 3 tables, 9 rows'

describe('webhooks that want backup.failed', function () {
  this.timeout(120_000)
  let world: BackupWorld
  let archive: BackupArchive
  let wanting: Hook
  let other: Hook

  before(async function () {
    this.timeout(minioWithinMs)
    world = await openBackupWorld((env) => startTestWorker({}, 'temporal/main.ts', env))
    await world.engine.put('otter')
    archive = await world.ask()
    await world.play(backupJobName(archive.metadata.name))
    archive = await world.untilState(archive, 'ready')
    await world.records.client.patch(
      { type: resourceTypes.backupArchive, namespace: systemNamespace, name: archive.metadata.name },
      { status: { counts: { keys: null, pages: null, ...counts } } },
      { subresource: 'status' },
    )
    wanting = await hookOf(world.records, world.project, { events: ['backup.failed'] })
    other = await hookOf(world.records, world.project)
  })
  after(async function () {
    this.timeout(120_000)
    await world?.end()
  })

  const verified = ({ secret, receiver }: Hook) =>
    receiver.received.map(({ body, headers }) => new Webhook(secret).verify(body, headers as Record<string, string>))
  const database = async (): Promise<Database> =>
    (await world.records.databases.readLive(world.database.metadata.name)) ?? world.database
  /** The drill restores so many rows, and has ended. */
  async function drill(rows: number): Promise<void> {
    const { name } = archive.metadata
    const asked = new Date().toISOString()
    await world.records.backupArchives.edit(name, (current) => ({
      ...current,
      metadata: { ...current.metadata, annotations: { ...current.metadata.annotations, [annotations.drill]: asked } },
    }))
    await world.endPod(drillJobName(name), 0, JSON.stringify({ counts: { ...counts, rows } }))
    await until(
      world.records.backupArchives,
      archive,
      (record) => record !== undefined && record.status?.drill?.asked === askedDrill(record),
      'restored on trial',
    )
    const jobs = { namespace: homeOf(world.database.spec), labelSelector: `${labels.owner}=${archive.metadata.uid}` }
    const isCleared = async () => (await world.records.client.list<KubeObject>(coreTypes.job, jobs)).items.length === 0
    await eventually('nothing of it is left', isCleared, 60_000)
  }

  it('are notified at once that a drill failed, in the words of the database, and those of deploys alone are not', async () => {
    await drill(8)
    await eventually('the webhook has it', () => wanting.receiver.received.length > 0, 30_000)
    const { name } = world.database.metadata
    const since = badBackupsOf(await database())?.since
    expect(verified(wanting)).to.deep.equal([
      {
        type: 'backup.failed',
        timestamp: since,
        data: {
          project: world.project.metadata.name,
          environment: 'production',
          database: name,
          error: `the newest restore drill, of backup ${archive.metadata.name}, failed: ${loss}`,
        },
      },
    ])
    expect(other.receiver.received).to.deep.equal([])
  })

  it('are not notified again while it stays bad, but when it was well in between', async () => {
    await drill(7)
    const before = badBackupsOf(await database())
    await drill(9)
    await resyncUntil('it is well again', async () => badBackupsOf(await database()) === undefined)
    expect(wanting.receiver.received, 'of the second failure').to.have.length(1)
    await drill(8)
    await eventually('the webhook has it again', () => wanting.receiver.received.length > 1, 30_000)
    expect(wanting.receiver.received).to.have.length(2)
    expect(badBackupsOf(await database())?.since).not.to.equal(before?.since)
    expect(new Set(wanting.receiver.received.map(({ id }) => id)).size).to.equal(2)
  })

  it('get one delivery of a failure whose worker died before it sent it, and none of an earlier failure', async () => {
    const late = await hookOf(world.records, world.project, { events: ['backup.failed'] })
    await world.records.databases.edit(world.database.metadata.name, (current) => withBadBackups(current, undefined))
    const since = new Date().toISOString()
    // As the record stands between its write and the deliveries.
    await world.records.databases.edit(world.database.metadata.name, (current) =>
      withBadBackups(current, { since, message: 'no restore of its backups was proven yet' }),
    )
    await resyncUntil('the webhook has it', () => late.receiver.received.length > 0)
    expect(verified(late)).to.have.length(1)
    const after = await hookOf(world.records, world.project, { events: ['backup.failed'] })
    const started: string[] = []
    const needs = {
      ...world.records,
      lateMs: 60_000,
      now: () => new Date(),
      startDelivery: async (id: string) => void started.push(id),
    }
    await notifyBackups(needs, world.records.databases, await database(), [archive])
    expect([started.includes(late.id), started.includes(after.id)]).to.deep.equal([true, false])
    expect(late.receiver.received).to.have.length(1)
  })

  it('are notified at once that a backup failed, also of another database', async () => {
    const hook = await hookOf(world.records, world.project, { events: ['backup.failed'] })
    const another = await world.another()
    const { name } = another.metadata
    const asked = { name: archiveName(name, new Date()), trigger: 'Manual' } as const
    const failing = await askBackup(world.records, another, asked)
    await world.endPod(backupJobName(failing.metadata.name), 1, 'the dump of the database failed')
    await world.untilState(failing, 'failed')
    await eventually('the webhook has it', () => hook.receiver.received.length > 0, 30_000)
    const [message] = verified(hook) as { data: object }[]
    expect(message?.data).to.deep.include({
      database: name,
      error: 'the newest backup failed: the dump of the database failed',
    })
    expect(hook.receiver.received).to.have.length(1)
  })
})
