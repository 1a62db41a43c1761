/**
 * Backups and restores as workflows, on the simulated cluster with a real object server and a real rqlite. The pods of
 * the Jobs are played: their scripts run here; on every engine they run in test/kinds/backup-archives.
 */
import { expect } from 'chai'
import { whileRestoring } from '../../activities/databases/restore.ts'
import type { ActivityNeeds } from '../../activities/context/needs.ts'
import { waiting } from '../../activities/provision/step.ts'
import { DeleteObjectCommand } from '@aws-sdk/client-s3'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { askedDrill } from '../../kinds/backup-archives/drills.ts'
import {
  archiveName,
  backupJobName,
  drillJobName,
  lastArchiveName,
  projectKeyName,
  restoreJobName,
} from '../../kinds/backup-archives/names.ts'
import { archiveState } from '../../kinds/backup-archives/rules.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { resyncUntil } from '../harness/resync.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { workflowId } from '../../durable/ids.ts'
import { connectTemporal, temporalSettings } from '../../temporal/client/client.ts'
import { useStack } from '../harness/stack.ts'
import { askBackup } from '../../records/backups/ask-backup.ts'
import { eventually } from '../cluster/eventually.ts'
import { mortalClient } from '../kill/mortal-client.ts'
import { startBacked } from '../harness/backed-engines.ts'
import { minioWithinMs } from '../harness/minio.ts'
import { secretValues } from '../harness/object-server.ts'
import { until } from '../harness/records.ts'
import { startTestWorker } from '../harness/worker.ts'
import { type BackupWorld, heldImage, openBackupWorld } from './backup-world.ts'
import { createDatabase, untilState } from './database-world.ts'

describe('a backup', function () {
  this.timeout(120_000)
  let world: BackupWorld
  let archive: BackupArchive

  before(async function () {
    this.timeout(minioWithinMs)
    world = await openBackupWorld((env) => startTestWorker({}, 'temporal/main.ts', env))
    await world.engine.put('otter')
  })
  after(async function () {
    this.timeout(120_000)
    await world?.end()
  })

  const jobs = async (): Promise<string[]> =>
    (await world.records.client.list<KubeObject>(coreTypes.job, { namespace: homeOf(world.database.spec) })).items.map(
      ({ metadata }) => metadata.name,
    )

  it('is not whole before its pod has ended, and then verified, with nothing left of the Job', async () => {
    archive = await world.ask()
    await until(
      world.records.backupArchives,
      archive,
      (record) => readyOf(record?.status?.conditions)?.message === 'the backup is being stored',
      'being stored',
    )
    const under = await world.records.backupArchives.readLive(archive.metadata.name)
    expect(under?.status?.checksum).to.equal(undefined)
    const end = await world.play(backupJobName(archive.metadata.name))
    expect(end.code, end.log).to.equal(0)
    const { status } = await world.untilState(archive, 'ready')
    expect(status?.checksum).to.match(/^[0-9a-f]{64}$/)
    expect(status?.lastRestorePoint).to.equal(status?.firstRestorePoint)
    expect(await world.files()).to.have.length(2)
    expect(await jobs()).not.to.include(backupJobName(archive.metadata.name))
    expect(await secretValues(homeOf(world.database.spec), backupJobName(archive.metadata.name))).to.equal(undefined)
  })

  /** How many resyncs have ended in this run. */
  const lastResyncs = async (): Promise<number> => {
    const { temporalAddress } = await useStack()
    const temporal = connectTemporal(temporalSettings({ SVC_TEMPORAL_ADDRESS: temporalAddress }))
    const query = "WorkflowType = 'resync' AND ExecutionStatus = 'Completed'"
    return await temporal.client.workflow
      .count(query)
      .then(({ count }) => count)
      .finally(() => void temporal.close())
  }

  const restored = () =>
    createDatabase(world.records, world.project, {
      engine: 'sqlite',
      restoreFrom: { archive: archive.metadata.name },
    })

  it('is restored into a database that is ready once it has the data, and says of which moment', async () => {
    const other = await startBacked('sqlite')
    const database = await restored()
    await until(
      world.records.databases,
      database,
      (record) => readyOf(record?.status?.conditions)?.message === `restoring ${archive.metadata.name}`,
      'restoring',
    )
    const end = await world.play(restoreJobName(database.metadata.name), other)
    expect(end.code, end.log).to.equal(0)
    const { status } = await untilState(world.records, database, 'ready')
    expect(await other.take()).to.equal('otter')
    const whole = await world.records.backupArchives.readLive(archive.metadata.name)
    expect(status?.restored).to.deep.equal({
      archive: archive.metadata.name,
      point: whole?.status?.lastRestorePoint,
    })
    const [one, two] = await Promise.all(
      [world.database, database].map(({ metadata }) =>
        secretValues(homeOf(world.database.spec), `${metadata.name}-password`),
      ),
    )
    expect(one?.['password']).not.to.equal(two?.['password'])
    expect(await jobs()).not.to.include(restoreJobName(database.metadata.name))
    await other.stop()
  })

  it('fails in the words of its pod, and another one is taken all the same', async () => {
    const failing = await world.ask()
    await world.endPod(backupJobName(failing.metadata.name), 1, 'the dump of the database failed')
    const { status } = await world.untilState(failing, 'failed')
    expect(readyOf(status?.conditions)?.message).to.equal('the dump of the database failed')
    expect(await secretValues(homeOf(world.database.spec), backupJobName(failing.metadata.name))).to.equal(undefined)
    expect(status?.checksum).to.equal(undefined)
    const silent = await world.ask()
    await world.endPod(backupJobName(silent.metadata.name), 0, '')
    const lost = await world.untilState(silent, 'failed')
    expect(readyOf(lost.status?.conditions)?.message).to.equal('the Job of the backup failed')
    for (const each of [failing, silent]) {
      await world.records.backupArchives.remove(each.metadata.name, each.metadata.uid ?? '')
      await world.untilGone(each)
    }
  })

  it('of a database that is gone fails at once', async () => {
    const gone = await createDatabase(world.records, world.project, { engine: 'redis', deploy: { enabled: false } })
    const { name, uid = '' } = gone.metadata
    const asked = await world.ask()
    await world.records.backupArchives.remove(asked.metadata.name, asked.metadata.uid ?? '')
    const record = { ...asked, metadata: { name: `${name}-x`, namespace: systemNamespace } }
    const made = await world.records.backupArchives.create({
      ...record,
      spec: { ...record.spec, database: name, databaseUid: 'another', path: 'svc-backups/none' },
    })
    const { status } = await world.untilState(made, 'failed')
    expect(readyOf(status?.conditions)?.message).to.equal(`database ${name} is gone, so nothing of it can be backed up`)
    await world.records.backupArchives.remove(made.metadata.name, made.metadata.uid ?? '')
    await world.records.databases.remove(name, uid)
  })

  it('is looked into while the server that it goes to starts, once a node has that', async () => {
    const from = { archive: archive.metadata.name }
    const draft = { engine: 'sqlite', restoreFrom: from, deploy: { enabled: false } }
    const database = await createDatabase(world.records, world.project, draft)
    const placed = [{ type: 'PodScheduled', status: 'True' }]
    const mortal = mortalClient(world.records.client, () => {
      throw new Error('the worker died')
    })
    const wait = async (conditions: object[]) => {
      const pods = { by: () => [{ metadata: { name: 'server' }, status: { conditions } }] }
      const { client } = mortal
      const needs = { ...world.records, client, backupImage: heldImage.SVC_BACKUP_IMAGE, children: { pods } }
      const awaitServer = async () => waiting('starting')
      return await whileRestoring(needs as unknown as ActivityNeeds, awaitServer)(database) // all that it uses
    }
    const job = restoreJobName(database.metadata.name)
    expect(await wait([])).to.deep.equal(waiting('starting'))
    for (const point of [
      { when: 'before', write: 1 },
      { when: 'after', write: 1 },
    ] as const) {
      mortal.arm({ ...point, about: '' })
      expect(await wait(placed).catch((error: unknown) => String(error))).to.equal('Error: the worker died')
      expect(await jobs()).not.to.include(job)
    }
    mortal.disarm()
    expect(await wait(placed)).to.deep.equal(waiting('starting'))
    expect(await jobs()).to.include(job)
    mortal.arm({ when: 'before', write: 1, about: '' })
    expect(await wait(placed), 'nothing is written again').to.deep.equal(waiting('starting'))
    const { databases } = world.records
    const { name, uid = '' } = database.metadata
    await databases.edit(name, (current) => ({ ...current, spec: { ...current.spec, deploy: { enabled: true } } }))
    const isRestoring = (record: Database | undefined) =>
      readyOf(record?.status?.conditions)?.message === `restoring ${archive.metadata.name}`
    await until(databases, database, isRestoring, 'restoring')
    await databases.remove(name, uid)
    await until(databases, database, (record) => record === undefined, 'gone')
    expect(await jobs()).not.to.include(job)
  })

  it('whose database is deleted while it is tried stays as it is, and nothing of the drill is left', async () => {
    const { backupArchives, databases } = world.records
    const database = await world.another()
    const { name, uid = '' } = database.metadata
    const asked = { name: archiveName(name, new Date()), trigger: 'Manual' } as const
    const taken = await askBackup(world.records, database, asked)
    await world.play(backupJobName(asked.name))
    await world.untilState(taken, 'ready')
    await world.askDrill(taken)
    const job = drillJobName(asked.name)
    await eventually('the drill has begun', async () => (await jobs()).includes(job))
    const last = lastArchiveName(name, uid)
    await databases.remove(name, uid)
    const kept = await world.untilAsked(last)
    await world.play(backupJobName(last))
    await until(databases, database, (record) => record === undefined, 'gone')
    await world.endPod(job, 1, '')
    await until(backupArchives, taken, (record) => record !== undefined && askedDrill(record) === '', 'cancelled')
    const whole = await backupArchives.readLive(asked.name)
    expect([whole && archiveState(whole).state, whole?.status?.drill]).to.deep.equal(['ready', undefined])
    expect(await jobs()).not.to.include(job)
    for (const each of [taken, kept]) {
      await backupArchives.remove(each.metadata.name, each.metadata.uid ?? '')
      await world.untilGone(each)
    }
  })

  it('that was changed in the store is not restored: the database fails and says so', async () => {
    const file = (await world.files()).find((each) => each.includes('data.sqlite')) ?? ''
    const database = await restored()
    await world.s3.ask((client) => client.send(new DeleteObjectCommand({ Bucket: world.bucket, Key: file })))
    await world.play(restoreJobName(database.metadata.name))
    const failed = await untilState(world.records, database, 'failed')
    expect(readyOf(failed.status?.conditions)?.message).to.equal(
      'the backup is not what was written: data.sqlite differs',
    )
  })

  it('that is gone, not whole or of another engine is not restored: the database fails and says so', async () => {
    const half = await world.ask()
    const { name } = archive.metadata
    const into = (engine: string, from: string) =>
      createDatabase(world.records, world.project, { engine, restoreFrom: { archive: from } })
    const [gone, unready, other] = await Promise.all([
      into('sqlite', 'none'),
      into('sqlite', half.metadata.name),
      into('redis', name),
    ])
    const rows = [
      [gone, 'backup none is gone'],
      [unready, `backup ${half.metadata.name} is not whole`],
      [other, `backup ${name} is of sqlite, not of redis`],
    ] as const
    for (const [database, said] of rows) {
      const failed = await untilState(world.records, database, 'failed')
      expect(readyOf(failed.status?.conditions)?.message).to.equal(said)
    }
    await world.records.backupArchives.remove(half.metadata.name, half.metadata.uid ?? '')
    await world.untilGone(half)
  })

  it('keeps its key and those of the bucket out of every record, Job, event and history', async () => {
    const key = (await secretValues(systemNamespace, projectKeyName(world.project.metadata.name)))?.['key'] ?? ''
    const { secretKey = '' } = await world.connection(world.store)
    expect(key).to.have.length(64)
    const { client, backupArchives, databases } = world.records
    const listed = await Promise.all([
      client.list<KubeObject>(coreTypes.job, {}),
      client.list<KubeObject>(coreTypes.event, {}),
      client.list<KubeObject>(coreTypes.pod, {}),
    ])
    const { temporalAddress } = await useStack()
    const temporal = connectTemporal(temporalSettings({ SVC_TEMPORAL_ADDRESS: temporalAddress }))
    const id = workflowId('backupArchive', archive.metadata.name)
    const { events } = await temporal.client.workflow
      .getHandle(id)
      .fetchHistory()
      .finally(() => void temporal.close())
    expect(events?.length).to.be.greaterThan(10)
    // Payloads are bytes, which JSON would hide.
    const history = JSON.stringify(events, (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value,
    )
    const seen = JSON.stringify([history, listed, backupArchives.cache.list(), databases.cache.list()])
    for (const secret of [key, secretKey, ...world.engine.secrets]) expect(seen).not.to.include(secret)
  })

  it('is taken once when its time has come, and older ones go only when it is verified', async () => {
    const { databases, backupArchives } = world.records
    const { name } = world.database.metadata
    const own = () => backupArchives.cache.list().filter(({ spec }) => spec.database === name)
    const scheduled = () => own().filter(({ spec }) => spec.trigger === 'Schedule')
    const old = await world.ask(new Date('2020-01-01T00:00:00Z'))
    await world.play(backupJobName(old.metadata.name))
    await world.untilState(old, 'ready')
    await world.records.backupArchives.remove(archive.metadata.name, archive.metadata.uid ?? '')
    await world.untilGone(archive)
    const longAgo = '2020-01-01T00:00:00Z'
    await world.records.client.patch(
      { type: resourceTypes.backupArchive, namespace: systemNamespace, name: old.metadata.name },
      { status: { firstRestorePoint: longAgo, lastRestorePoint: longAgo } },
      { subresource: 'status' },
    )
    await databases.edit(name, (current) => ({
      ...current,
      spec: { ...current.spec, backups: { enabled: true, retentionDays: 3 } },
    }))
    await resyncUntil('the backup of today', () => scheduled().length > 0)
    const [due] = scheduled()
    if (due === undefined) throw new Error('unreachable')
    await resyncUntil('another resync has ended', async () => {
      const listed = await lastResyncs()
      return listed >= 2
    })
    expect(scheduled()).to.have.length(1)
    expect((await backupArchives.readLive(old.metadata.name))?.metadata.deletionTimestamp).to.equal(undefined)
    await world.play(backupJobName(due.metadata.name))
    archive = await world.untilState(due, 'ready')
    // It was the newest one, so it is restored on trial by now, which needs its files.
    await world.endPod(drillJobName(old.metadata.name), 0, '{"counts":{"tables":0,"rows":0}}')
    await world.untilDrilled(old)
    await resyncUntil('the old one is gone', () => own().every(({ metadata }) => metadata.name !== old.metadata.name))
    expect((await backupArchives.readLive(due.metadata.name))?.metadata.uid).to.equal(due.metadata.uid)
  })

  it('that is deleted while its bucket does not answer waits for it, and takes its files along', async () => {
    await world.minio.kill()
    await world.records.backupArchives.remove(archive.metadata.name, archive.metadata.uid ?? '')
    await until(
      world.records.backupArchives,
      archive,
      (record) =>
        readyOf(record?.status?.conditions)?.message === 'waiting for the object store of the backups to answer',
      'waiting for the object store',
    )
    await world.minio.start()
    await world.untilGone(archive)
    expect(await world.files()).to.deep.equal([])
  })
})
