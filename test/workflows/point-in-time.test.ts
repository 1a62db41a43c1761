/**
 * Point in time as workflows, on the simulated cluster with a real object server: what stores the WAL of a postgres
 * follows its newest backup, the window of a backup follows what is stored, and a moment within is restored before the
 * server is made, whenever the worker dies. The scripts themselves run in test/kinds/backup-archives.
 */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { archiveName, backupJobName, restoreJobName, shipperName } from '../../kinds/backup-archives/names.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { volumeName } from '../../kinds/databases/names.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { postgresCluster } from '../../kinds/meta/resource-types.ts'
import { askBackup } from '../../records/backups/ask-backup.ts'
import { eventually } from '../cluster/eventually.ts'
import { installOperatorKinds } from '../harness/cnpg/install.ts'
import { minioWithinMs } from '../harness/minio.ts'
import { secretValues } from '../harness/object-server.ts'
import { until, wakeWith } from '../harness/records.ts'
import { resyncUntil } from '../harness/resync.ts'
import { testPolicy, useWorker } from '../harness/worker.ts'
import { killPolicy, startMortalWorker } from '../kill/enumerated.ts'
import type { MortalProcess } from '../kill/mortal-process.ts'
import { atWrites, diesWith, type WritePoint } from '../kill/write-points.ts'
import { type BackupWorld, openBackupWorld } from './backup-world.ts'
import { createDatabase, edit, untilState } from './database-world.ts'

/** finalizer, accepted, keys, Job, Event, waiting, checksum, Job gone, Secret gone, … */
const making: readonly WritePoint[] = [
  { when: 'after', write: 7 },
  { when: 'before', write: 11 },
]
/** finalizer, accepted, passwords, administrator, volume, keys, Job, … */
const recovering: readonly WritePoint[] = [
  { when: 'after', write: 5 },
  { when: 'after', write: 9 },
]

describe('a postgres that keeps backups', function () {
  this.timeout(120_000)
  let world: BackupWorld
  let database: Database
  let namespace: string
  let env: Record<string, string> = {}
  let worker: MortalProcess
  let turn = 0

  before(async function () {
    this.timeout(minioWithinMs)
    wakeWith(killPolicy)
    world = await openBackupWorld(async (wanted) => {
      env = wanted
      worker = await startMortalWorker({}, undefined, env)
      return { pid: worker.pid, stop: () => worker.kill() }
    })
    database = await world.another({ engine: 'postgres', backups: { enabled: true } })
    namespace = homeOf(database.spec)
  })
  after(async function () {
    this.timeout(180_000)
    await world?.end()
    wakeWith(testPolicy)
    await worker?.kill()
    await useWorker()
  })

  async function survive(settled: Promise<unknown>): Promise<boolean> {
    const died = await diesWith(worker, settled)
    if (died) worker = await startMortalWorker({}, undefined, env)
    return died
  }
  /** Later than the one before: of a day that is over, so that the window is not late by itself. */
  const moment = (): Date => new Date(Math.floor(Date.now() / 1000) * 1000 - 600_000 + (turn += 1) * 10_000)
  const text = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`
  const said = (at: Date): string =>
    JSON.stringify({ checksum: 'a'.repeat(64), size: 9, point: text(at), base: 'b'.repeat(64) })
  const ask = async (at: Date): Promise<BackupArchive> => {
    const live = (await world.records.databases.readLive(database.metadata.name)) ?? database
    return askBackup(world.records, live, { name: archiveName(database.metadata.name, at), trigger: 'Manual' })
  }
  const taken = async (at: Date): Promise<BackupArchive> => {
    const archive = await ask(at)
    await world.endPod(backupJobName(archive.metadata.name), 0, said(at))
    return world.untilState(archive, 'ready')
  }
  const stored = ({ spec }: BackupArchive, at: Date) =>
    world.s3.ask((client) =>
      client.send(new PutObjectCommand({ Bucket: world.bucket, Key: `${spec.path}/wal/upto`, Body: text(at) })),
    )
  const window = async ({ metadata }: BackupArchive): Promise<string[]> => {
    const { firstRestorePoint = '', lastRestorePoint = '' } =
      (await world.records.backupArchives.readLive(metadata.name))?.status ?? {}
    return [firstRestorePoint, lastRestorePoint]
  }
  const shippers = async ({ metadata: { name: of } } = database): Promise<string[]> => {
    const { items } = await world.records.client.list<KubeObject>(coreTypes.deployment, { namespace })
    return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith(of))
  }
  const named = ({ metadata }: BackupArchive): string => shipperName(metadata.name)

  it('has its WAL stored beside the newest backup, whose window follows what is stored', async () => {
    const first = moment()
    const one = await taken(first)
    expect(one.spec.pointInTime).to.equal(true)
    expect(await window(one)).to.deep.equal([text(first), text(first)])
    expect(await shippers()).to.deep.equal([named(one)])
    const keys = await secretValues(namespace, named(one))
    expect(keys).to.include({ path: one.spec.path, bucket: world.bucket })
    const later = moment()
    await stored(one, later)
    await resyncUntil('the window is open', async () => (await window(one))[1] === text(later))
    await stored(one, new Date(later.getTime() - 5000))
    const two = await taken(moment())
    expect(await window(one), 'it never shrinks').to.deep.equal([text(first), text(later)])
    expect((await shippers()).toSorted(), 'until nothing is missing between').to.deep.equal(
      [named(one), named(two)].toSorted(),
    )
    const over = moment()
    await stored(one, over)
    await resyncUntil('the second goes on alone', async () => (await shippers()).length === 1)
    expect(await shippers()).to.deep.equal([named(two)])
    expect(await secretValues(namespace, named(one))).to.equal(undefined)
    expect(await window(one)).to.deep.equal([text(first), text(over)])
  })

  atWrites(
    making,
    (where) => `has its WAL stored also by a worker that dies ${where} of its backup`,
    async (point) => {
      const at = moment()
      const name = archiveName(database.metadata.name, at)
      worker.arm({ ...point, about: '', names: [name, backupJobName(name), shipperName(name)] })
      const archive = await ask(at)
      const settled = Promise.all([
        world.endPod(backupJobName(name), 0, said(at)),
        world.untilState(archive, 'ready'),
        eventually('it is stored', async () => (await shippers()).includes(named(archive)), 90_000),
      ])
      const died = await survive(settled)
      await settled
      expect(await window(archive)).to.deep.equal([text(at), text(at)])
      return died
    },
  )

  atWrites(
    recovering,
    (where) => `is restored to a moment also by a worker that dies ${where}, before its server is made`,
    async (point) => {
      const archive = await taken(moment())
      const later = moment()
      const name = `db-${randomBytes(4).toString('hex')}`
      const job = restoreJobName(name)
      worker.arm({ ...point, about: '', names: [name, job, volumeName(name), `${name}-password`, `${name}-admin`] })
      const spec = { engine: 'postgres', version: '16', restoreFrom: { archive: archive.metadata.name, point: text(later) } } // prettier-ignore
      const made = await createDatabase(world.records, world.project, spec, name)
      const server = () => world.records.client.get({ type: coreTypes.statefulSet, namespace, name })
      const restoring = until(
        world.records.databases,
        made,
        (record) => readyOf(record?.status?.conditions)?.message === `restoring ${archive.metadata.name}`,
        'restoring',
      ).then(async () => {
        expect(await server(), 'before its data').to.equal(undefined)
        const volume = { type: coreTypes.persistentVolumeClaim, namespace, name: volumeName(name) }
        expect(await world.records.client.get(volume)).not.to.equal(undefined)
        await world.endPod(job, 0, '{}')
      })
      const settled = Promise.all([restoring, untilState(world.records, made, 'ready')])
      const died = await survive(settled)
      const [, { status }] = await settled
      expect(status?.restored).to.deep.equal({ archive: archive.metadata.name, point: text(later) })
      expect(await secretValues(namespace, job)).to.equal(undefined)
      return died
    },
  )

  it('is restored to a moment without the operator of postgres, which would begin with nothing', async () => {
    const archive = await taken(moment())
    const uninstall = await installOperatorKinds(world.records.client)
    const again = async () => {
      await worker.kill()
      worker = await startMortalWorker({}, undefined, env)
    }
    try {
      await again() // it reads what the API serves when it starts
      const later = text(moment())
      const spec = { engine: 'postgres', version: '16', restoreFrom: { archive: archive.metadata.name, point: later } }
      const made = await createDatabase(world.records, world.project, spec)
      await world.endPod(restoreJobName(made.metadata.name), 0, '{}')
      const { status } = await untilState(world.records, made, 'ready')
      expect(status).to.deep.include({ operated: false, restored: { archive: archive.metadata.name, point: later } })
      const asked = { type: postgresCluster, namespace, name: made.metadata.name }
      expect(await world.records.client.get(asked)).to.equal(undefined)
    } finally {
      await uninstall()
      await again()
    }
  })

  it('fails in the words of its pod where the moment is not stored', async () => {
    const archive = await taken(moment())
    const spec = { engine: 'postgres', version: '16', restoreFrom: { archive: archive.metadata.name, point: text(moment()) } } // prettier-ignore
    const made = await createDatabase(world.records, world.project, spec)
    await world.endPod(restoreJobName(made.metadata.name), 1, 'the WAL of the backup ends before that moment')
    const { status } = await untilState(world.records, made, 'failed')
    expect(readyOf(status?.conditions)?.message).to.equal('the WAL of the backup ends before that moment')
  })

  it('has its next backup taken also where the bucket of the last one is gone', async () => {
    const other = await world.another({ engine: 'postgres', backups: { enabled: true } })
    const name = archiveName(other.metadata.name, moment())
    const last = await askBackup(world.records, other, { name, trigger: 'Manual' })
    await world.endPod(backupJobName(name), 0, said(moment()))
    await world.untilState(last, 'ready')
    const isScheduled = () =>
      world.records.backupArchives.cache
        .list()
        .some(({ spec }) => spec.database === other.metadata.name && spec.trigger === 'Schedule')
    expect(isScheduled(), 'before its bucket is gone').to.equal(false)
    await world.records.backupArchives.edit(name, (current) => ({
      ...current,
      spec: { ...current.spec, source: 'CloudConnection', connectionRef: { name: 'gone' } },
    }))
    await resyncUntil('the next one is asked for', isScheduled)
    expect(await shippers(other), 'the one that it has').to.deep.equal([shipperName(name)])
  })

  it('has nothing stored any more once it keeps none, also by a worker that dies halfway', async () => {
    const at = moment()
    const name = archiveName(database.metadata.name, at)
    worker.arm({ when: 'after', write: 1, about: '', names: [shipperName(name)] })
    const archive = await ask(at)
    await Promise.all([world.endPod(backupJobName(name), 0, said(at)), worker.gone])
    await edit(world.records, database, { backups: { enabled: false, retentionDays: 7 } })
    worker = await startMortalWorker({}, undefined, env)
    await world.untilState(archive, 'ready')
    await eventually('nothing is left', async () => (await shippers()).length === 0, 60_000)
    expect(await secretValues(namespace, shipperName(name))).to.equal(undefined)
  })

  it('takes backups of one moment once it keeps none', async () => {
    expect((await ask(moment())).spec.pointInTime).to.equal(undefined)
  })

  it('leaves no WAL in the bucket once its backups are deleted', async () => {
    const own = world.records.backupArchives.cache.list().filter(({ spec }) => spec.database === database.metadata.name)
    for (const { metadata } of own) await world.records.backupArchives.remove(metadata.name, metadata.uid ?? '')
    for (const each of own) await world.untilGone(each)
    expect(await world.files()).to.deep.equal([])
  })
})
