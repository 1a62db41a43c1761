/**
 * Point in time as workflows, on the simulated cluster with a real object server: what stores the WAL of a postgres
 * follows its newest backup, the window of a backup follows what is stored, and a moment within is restored before the
 * server is made, whenever the worker dies. The scripts themselves run in test/kinds/backup-archives.
 */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
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
import { until } from '../harness/records.ts'
import { resyncUntil } from '../harness/resync.ts'
import { atWrites, type WritePoint } from '../kill/write-points.ts'
import { type BackupWorld, openBackupWorld } from './backup-world.ts'
import { createDatabase, edit, untilState } from './database-world.ts'
import { type MortalWorld, openMortalWorld } from './mortal-world.ts'
import { pointInTimeOf } from './point-in-time-world.ts'

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
  let mortal: MortalWorld<BackupWorld>

  before(async function () {
    this.timeout(minioWithinMs)
    mortal = await openMortalWorld(openBackupWorld)
    world = mortal.world
    database = await world.another({ engine: 'postgres', backups: { enabled: true } })
    namespace = homeOf(database.spec)
  })
  after(async function () {
    this.timeout(180_000)
    await mortal?.end()
  })

  const { moment, text, said, ask, taken, stored, window, shipping, named } = pointInTimeOf(
    () => ({ world, database }),
    'wal',
  )

  it('has its WAL stored beside the newest backup, whose window follows what is stored', async () => {
    const first = moment()
    const one = await taken(first)
    expect(one.spec.pointInTime).to.equal(true)
    expect(await window(one)).to.deep.equal([text(first), text(first)])
    expect(await shipping()).to.deep.equal([named(one)])
    const keys = await secretValues(namespace, named(one))
    expect(keys).to.include({ path: one.spec.path, bucket: world.bucket })
    const later = moment()
    await stored(one, later)
    await resyncUntil('the window is open', async () => (await window(one))[1] === text(later))
    await stored(one, new Date(later.getTime() - 5000))
    const two = await taken(moment())
    expect(await window(one), 'it never shrinks').to.deep.equal([text(first), text(later)])
    expect((await shipping()).toSorted(), 'until nothing is missing between').to.deep.equal(
      [named(one), named(two)].toSorted(),
    )
    const over = moment()
    await stored(one, over)
    await resyncUntil('the second goes on alone', async () => (await shipping()).length === 1)
    expect(await shipping()).to.deep.equal([named(two)])
    expect(await secretValues(namespace, named(one))).to.equal(undefined)
    expect(await window(one)).to.deep.equal([text(first), text(over)])
  })

  atWrites(
    making,
    (where) => `has its WAL stored also by a worker that dies ${where} of its backup`,
    async (point) => {
      const at = moment()
      const name = archiveName(database.metadata.name, at)
      mortal.worker.arm({ ...point, about: '', names: [name, backupJobName(name), shipperName(name)] })
      const archive = await ask(at)
      const completion = Promise.all([
        world.endPod(backupJobName(name), 0, said(at)),
        world.untilState(archive, 'ready'),
        eventually('it is stored', async () => (await shipping()).includes(named(archive)), 90_000),
      ])
      const died = await mortal.survive(completion)
      await completion
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
      mortal.worker.arm({
        ...point,
        about: '',
        names: [name, job, volumeName(name), `${name}-password`, `${name}-admin`],
      })
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
      const completion = Promise.all([restoring, untilState(world.records, made, 'ready')])
      const died = await mortal.survive(completion)
      const [, { status }] = await completion
      expect(status?.restored).to.deep.equal({ archive: archive.metadata.name, point: text(later) })
      expect(await secretValues(namespace, job)).to.equal(undefined)
      return died
    },
  )

  it('is restored to a moment without the operator of postgres, which would begin with nothing', async () => {
    const archive = await taken(moment())
    const uninstall = await installOperatorKinds(world.records.client)
    const again = async () => {
      await mortal.replace()
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
    expect(await shipping(other), 'the one that it has').to.deep.equal([shipperName(name)])
  })

  it('has nothing stored any more once it keeps none, also by a worker that dies halfway', async () => {
    const at = moment()
    const name = archiveName(database.metadata.name, at)
    mortal.worker.arm({ when: 'after', write: 1, about: '', names: [shipperName(name)] })
    const archive = await ask(at)
    await Promise.all([world.endPod(backupJobName(name), 0, said(at)), mortal.worker.gone])
    await edit(world.records, database, { backups: { enabled: false, retentionDays: 7 } })
    await mortal.replace()
    await world.untilState(archive, 'ready')
    await eventually('nothing is left', async () => (await shipping()).length === 0, 60_000)
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
