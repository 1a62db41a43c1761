/**
 * Backups of buckets on the simulated cluster with a real object server: taken with the keys of the bucket, on demand,
 * by schedule and before a deletion, restored into a new bucket, and found where they were changed.
 */
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect } from 'chai'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import {
  archiveName,
  backupJobName,
  drillJobName,
  lastArchiveName,
  restoreJobName,
} from '../../kinds/backup-archives/names.ts'
import { isVerified } from '../../kinds/backup-archives/rules.ts'
import { lastSlot } from '../../kinds/backup-archives/schedule.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { chooseLastBackup } from '../../records/backups/last-backup.ts'
import { connectS3 } from '../../outside/minio/s3.ts'
import { minioWithinMs } from '../harness/minio.ts'
import { secretValues, untilGone, untilReady, untilSaid } from '../harness/object-server.ts'
import { resyncUntil } from '../harness/resync.ts'
import { startTestWorker } from '../harness/worker.ts'
import { type BucketBackupWorld, openBucketBackupWorld } from './bucket-backup-world.ts'

describe('the backup of a bucket', function () {
  this.timeout(120_000)
  let world: BucketBackupWorld
  let otter: ObjectStore
  let beaver: ObjectStore
  let archive: BackupArchive
  let compared = 0
  const newer = new Date(Date.now() - 60_000)

  before(async function () {
    this.timeout(minioWithinMs)
    world = await openBucketBackupWorld((env) => startTestWorker({}, 'temporal/main.ts', env))
    otter = await world.holding('otter', { backups: { enabled: true, retentionDays: 2 } })
    beaver = await world.holding('beaver')
  })
  after(async function () {
    this.timeout(120_000)
    await world?.end()
  })

  const take = async (of: BackupArchive): Promise<BackupArchive> => {
    const end = await world.play(backupJobName(of.metadata.name), world.pod)
    expect(end.code, end.log).to.equal(0)
    return world.untilState(of, 'ready')
  }
  const restore = async (store: ObjectStore) => world.play(restoreJobName(store.metadata.name), world.pod)
  const remove = async ({ metadata }: ObjectStore): Promise<void> => {
    await world.records.objectStores.remove(metadata.name, metadata.uid ?? '')
  }
  const gone = (store: ObjectStore) => untilGone(world.records, store)
  const said = (store: ObjectStore, message: string | RegExp) => untilSaid(world.records, store, message)
  const filesOf = async ({ spec }: BackupArchive) =>
    (await world.files()).filter((file) => file.startsWith(`${spec.path}/`))
  const makeOld = (of: BackupArchive, days: number) => {
    const at = new Date(Date.now() - days * 24 * 3_600_000).toISOString()
    return world.records.client.patch(
      { type: resourceTypes.backupArchive, namespace: systemNamespace, name: of.metadata.name },
      { status: { firstRestorePoint: at, lastRestorePoint: at } },
      { subresource: 'status' },
    )
  }

  /** Until a comparison removed one that failed long ago, twice: the first may have been under way. */
  const compareAll = async () => {
    for (const _ of [1, 2]) {
      const marker = await world.askFor(beaver, new Date(newer.getTime() - (compared += 1) * 3_600_000))
      await world.endPod(backupJobName(marker.metadata.name), 1, 'on purpose')
      await world.untilState(marker, 'failed')
      await makeOld(marker, 8)
      const { name } = marker.metadata
      const isGone = async () => (await world.records.backupArchives.readLive(name)) === undefined
      await resyncUntil('the marker is gone', isGone)
    }
  }

  it('is begun once its time has come, has its objects alone, and leaves nothing of its Job', async () => {
    await resyncUntil('it is asked for', () => world.backupsOf(otter).length === 1)
    const [asked] = world.backupsOf(otter)
    if (asked === undefined) throw new Error('unreachable')
    archive = await take(asked)
    const { uid = '', name } = otter.metadata
    expect(archive.metadata.name).to.equal(archiveName(name, lastSlot(uid, new Date())))
    const about = { databaseKind: 'ObjectStore', database: name, engine: 'bucket', trigger: 'Schedule' }
    expect(archive.spec).to.deep.include({ ...about, buckets: ['otter'] })
    expect(archive.status?.counts).to.deep.equal({ objects: 1, bytes: 'otter'.length })
    const files = ['manifest.sha256', 'bucket-1.tar'].map((file) => `${archive.spec.path}/${file}.bin`)
    expect(await filesOf(archive)).to.have.members(files)
    expect(await secretValues(homeOf(otter.spec), backupJobName(archive.metadata.name))).to.equal(undefined)
  })

  it('is restored on trial by the next comparison of all records, on an object server that is thrown away', async () => {
    const drilled = async () =>
      (await world.records.backupArchives.readLive(archive.metadata.name))?.metadata.annotations?.['svc.dev/drill']
    await resyncUntil('a drill is asked for', async () => (await drilled()) !== undefined)
    const server = await world.drilling()
    const end = await world.play(drillJobName(archive.metadata.name), server)
    expect(end.code, end.log).to.equal(0)
    await server.stop()
    const proven = await world.untilDrilled(archive)
    expect(proven.status?.drill).to.include({ outcome: 'Proven', message: '1 objects, 5 bytes' })
  })

  it('is restored into a new bucket, whose keys are shown once the objects are in it', async () => {
    const store = await world.restoring('otter-2', archive.metadata.name)
    await said(store, `restoring ${archive.metadata.name}`)
    expect(await world.connection(store)).to.deep.equal({})
    const end = await restore(store)
    expect({ code: end.code, said: end.said }, end.log).to.deep.equal({ code: 0, said: '{}' })
    const whole = await untilReady(world.records, store)
    const point = archive.status?.firstRestorePoint
    expect(whole.status?.restored).to.deep.equal({ archive: archive.metadata.name, point })
    expect(await secretValues(homeOf(store.spec), restoreJobName(store.metadata.name))).to.equal(undefined)
    const { accessKey = '', secretKey = '', bucket: Bucket } = await world.connection(store)
    const own = connectS3({ endpoint: world.minio.endpoint, accessKey, secretKey })
    const object = await own.ask((client) => client.send(new GetObjectCommand({ Bucket, Key: 'word.txt' })))
    expect([await object.Body?.transformToString(), object.ContentType]).to.deep.equal(['otter', 'text/x-word'])
    own.end()
    expect(await world.wordOf('otter'), 'the first bucket').to.equal('otter')
  })

  it('that is changed or cut short in the store is not restored: the bucket fails and says so', async () => {
    const Key = `${archive.spec.path}/bucket-1.tar.bin`
    const put = (Body: Uint8Array) =>
      world.s3.ask((client) => client.send(new PutObjectCommand({ Bucket: world.bucket, Key, Body })))
    const { Body } = await world.s3.ask((client) => client.send(new GetObjectCommand({ Bucket: world.bucket, Key })))
    const whole = (await Body?.transformToByteArray()) ?? new Uint8Array()
    const changed = Uint8Array.from(whole, (byte, place) => (place === 60 ? byte ^ 1 : byte))
    for (const [bucket, bytes] of [
      ['changed', changed],
      ['short', whole.subarray(0, -10)],
    ] as const) {
      await put(bytes)
      const store = await world.restoring(bucket, archive.metadata.name)
      await restore(store)
      await said(store, 'the backup is not what was written: bucket-1.tar differs')
      expect(await world.wordOf(bucket)).to.equal('')
      await remove(store)
      await gone(store)
    }
    await put(whole)
  })

  it('that is gone, not whole or of something else is not restored: the bucket fails and says so', async () => {
    const half = await world.askFor(otter, newer)
    const database = await world.ask()
    const into = (bucket: string, from: string, more = {}) => world.restoring(bucket, from, more)
    const { name } = archive.metadata
    const rows = [
      [await into('none', 'none'), 'backup none is gone'],
      [await into('half', half.metadata.name), `backup ${half.metadata.name} is not whole`],
      [await into('two', name, { buckets: ['two', 'more'] }), `backup ${name} is of 1 buckets, and 2 are asked for`],
    ] as const
    for (const [store, message] of rows) await said(store, message)
    await world.play(backupJobName(database.metadata.name))
    await world.untilState(database, 'ready')
    const other = await into('other', database.metadata.name)
    await said(other, `backup ${database.metadata.name} is of a database, not of a bucket`)
    for (const store of [other, ...rows.map(([each]) => each)]) {
      await remove(store)
      await gone(store)
    }
    await world.records.backupArchives.remove(half.metadata.name, half.metadata.uid ?? '')
    await world.untilGone(half)
  })

  it('goes once it is older than it is kept, but not before a newer one is whole', async () => {
    await makeOld(archive, 3)
    const asked = await world.askFor(otter, newer)
    const isThere = async ({ metadata }: BackupArchive) =>
      (await world.records.backupArchives.readLive(metadata.name)) !== undefined
    const one = () => isThere(archive)
    await compareAll()
    expect(await one(), 'the last whole one').to.equal(true)
    await world.endPod(backupJobName(asked.metadata.name), 1, 'the objects of the bucket could not be read')
    const { status } = await world.untilState(asked, 'failed')
    expect(readyOf(status?.conditions)?.message).to.equal('the objects of the bucket could not be read')
    await compareAll()
    expect(await one(), 'beside one that failed').to.equal(true)
    await take(await world.askFor(otter, new Date()))
    await resyncUntil('the old one is gone', async () => !(await one()))
    expect(await filesOf(archive)).to.deep.equal([])
  })

  it('of one that is gone fails at once', async () => {
    const store = await world.holding('gone')
    await remove(store)
    const asked = await world.untilAsked(lastArchiveName(store.metadata.name, store.metadata.uid ?? ''))
    await chooseLastBackup(world.records.objectStores, world.records.backupArchives, store, false)
    await gone(store)
    await world.untilGone(asked)
    const metadata = { name: archiveName(store.metadata.name, new Date()), namespace: systemNamespace }
    const spec = { ...asked.spec, trigger: 'Manual' as const, path: `${asked.spec.path}-more` }
    const late = await world.records.backupArchives.create({ ...asked, metadata, spec })
    const { status } = await world.untilState(late, 'failed')
    const message = `bucket ${store.metadata.name} is gone, so nothing of it can be backed up`
    expect(readyOf(status?.conditions)?.message).to.equal(message)
  })

  it('is taken before its deletion, which waits for it, and is kept for the days of its bucket', async () => {
    const last = await world.holding('heron', { backups: { retentionDays: 3 } })
    await remove(last)
    const asked = await world.untilAsked(lastArchiveName(last.metadata.name, last.metadata.uid ?? ''))
    expect(asked.spec).to.include({ trigger: 'Deletion', keepDays: 3, databaseKind: 'ObjectStore' })
    await said(last, `waiting for backup ${asked.metadata.name}: the backup is being stored`)
    expect(await world.wordOf('heron')).to.equal('heron')
    await take(asked)
    await gone(last)
    const [whole, ...others] = world.backupsOf(last)
    expect(others).to.deep.equal([])
    expect(whole !== undefined && isVerified(whole)).to.equal(true)
    await makeOld(asked, 4)
    await resyncUntil('it has gone after its days', () => world.backupsOf(last).length === 0)
  })

  it('that fails before a deletion keeps the bucket until it is deleted again, with another one or without', async () => {
    const store = await world.holding('lynx')
    const { objectStores, backupArchives } = world.records
    await remove(store)
    const name = lastArchiveName(store.metadata.name, store.metadata.uid ?? '')
    const first = await world.untilAsked(name)
    const failing = 'the objects of the bucket could not be packed'
    const failed = `the last backup failed: ${failing}; delete the bucket again to try it again, or with backupFirst off to go without it`
    await world.endPod(backupJobName(name), 1, failing)
    await said(store, failed)
    await chooseLastBackup(objectStores, backupArchives, store, true)
    const second = await world.untilAsked(name, first)
    await world.endPod(backupJobName(name), 1, failing)
    await said(store, failed)
    expect(await world.wordOf('lynx')).to.equal('lynx')
    await chooseLastBackup(objectStores, backupArchives, store, false)
    await gone(store)
    await world.untilGone(second)
  })
})
