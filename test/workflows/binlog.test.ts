/**
 * Point in time of a mysql as workflows, on the simulated cluster with a real object server: what stores its binary log
 * follows its newest backup, a moment within is restored once the new server runs, whenever the worker dies, and a
 * server without such a log goes on with dumps. The scripts themselves run in test/kinds/backup-archives.
 */
import { randomBytes } from 'node:crypto'
import type { V1Job } from '@kubernetes/client-node'
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { shipCommand } from '../../kinds/backup-archives/binlog/ship-script.ts'
import { backupTrouble } from '../../kinds/backup-archives/drills.ts'
import {
  archiveName,
  backupJobName,
  drillJobName,
  restoreJobName,
  shipperName,
} from '../../kinds/backup-archives/names.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { eventually } from '../cluster/eventually.ts'
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
/** Of the Job of the restore: keys, Job, Job gone, Secret gone */
const recovering: readonly WritePoint[] = [
  { when: 'after', write: 2 },
  { when: 'before', write: 3 },
]
const tools = 'does-not-exist/mysql-tools:8.4'

describe('a mysql that keeps backups', function () {
  this.timeout(120_000)
  let world: BackupWorld
  let database: Database
  let namespace: string
  let mortal: MortalWorld<BackupWorld>

  before(async function () {
    this.timeout(minioWithinMs)
    mortal = await openMortalWorld(openBackupWorld, { SVC_BINLOG_IMAGE: tools })
    world = mortal.world
    database = await world.another({ engine: 'mysql', backups: { enabled: true } })
    namespace = homeOf(database.spec)
  })
  after(async function () {
    this.timeout(180_000)
    await mortal?.end()
  })

  const { moment, text, said, ask, taken, stored, window, shippers, shipping, named } = pointInTimeOf(
    () => ({ world, database }),
    'binlog',
  )
  const jobOf = async (name: string) => {
    const read = () => world.records.client.get<KubeObject & V1Job>({ type: coreTypes.job, namespace, name })
    await eventually(`${name} is there`, async () => (await read()) !== undefined, 60_000)
    const container = (await read())?.spec?.template.spec?.containers[0]
    const variables = Object.fromEntries((container?.env ?? []).map((each) => [each.name, each.value ?? '']))
    return { image: container?.image, variables }
  }

  it('has its binary log stored beside the newest backup, whose window follows what is stored', async () => {
    const first = moment()
    const one = await taken(first)
    expect(one.spec.pointInTime).to.equal(true)
    expect(await window(one)).to.deep.equal([text(first), text(first)])
    const [shipper] = await shippers()
    const container = shipper?.spec?.template.spec?.containers[0]
    expect(shipper?.metadata.name).to.equal(named(one))
    expect([container?.image, container?.command]).to.deep.equal([tools, [...shipCommand]])
    expect(container?.env).to.deep.include({ name: 'WAL_KEEP', value: '1024' })
    expect(await secretValues(namespace, named(one))).to.include({ path: one.spec.path, bucket: world.bucket })
    const later = moment()
    await stored(one, later)
    await resyncUntil('the window is open', async () => (await window(one))[1] === text(later))
    const two = await taken(moment())
    expect((await shipping()).toSorted(), 'until nothing is missing between').to.deep.equal(
      [named(one), named(two)].toSorted(),
    )
    const over = moment()
    await stored(one, over)
    await resyncUntil('the second goes on alone', async () => (await shipping()).length === 1)
    expect(await shipping()).to.deep.equal([named(two)])
    expect(await window(one)).to.deep.equal([text(first), text(over)])
  })

  atWrites(
    making,
    (where) => `has its binary log stored also by a worker that dies ${where} of its backup`,
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
    (where) => `is restored to a moment also by a worker that dies ${where}, before its login is shown`,
    async (point) => {
      const archive = await taken(moment())
      const later = moment()
      const name = `db-${randomBytes(4).toString('hex')}`
      const job = restoreJobName(name)
      mortal.worker.arm({ ...point, about: '', names: [job] })
      const spec = { engine: 'mysql', version: '8.4', restoreFrom: { archive: archive.metadata.name, point: text(later) } } // prettier-ignore
      const made = await createDatabase(world.records, world.project, spec, name)
      const restoring = until(
        world.records.databases,
        made,
        (record) => readyOf(record?.status?.conditions)?.message === `restoring ${archive.metadata.name}`,
        'restoring',
      ).then(async ({ status }) => {
        expect(status?.connectionSecret, 'before its data').to.equal(undefined)
        const { image, variables } = await jobOf(job)
        expect([image, variables['BASE'], variables['POINT']]).to.deep.equal([tools, 'b'.repeat(64), text(later)])
        await world.endPod(job, 0, '{}')
      })
      const completion = Promise.all([restoring, untilState(world.records, made, 'ready')])
      const died = await mortal.survive(completion)
      const [, { status }] = await completion
      expect(status?.restored).to.deep.equal({ archive: archive.metadata.name, point: text(later) })
      await eventually('its keys are gone', async () => (await secretValues(namespace, job)) === undefined, 60_000)
      return died
    },
  )

  it('fails in the words of its pod where a part of the binary log is missing', async () => {
    const archive = await taken(moment())
    const spec = { engine: 'mysql', version: '8.4', restoreFrom: { archive: archive.metadata.name, point: text(moment()) } } // prettier-ignore
    const made = await createDatabase(world.records, world.project, spec)
    const missing = 'a part of the binary log of the backup is missing'
    await world.endPod(restoreJobName(made.metadata.name), 1, missing)
    const { status } = await untilState(world.records, made, 'failed')
    expect(readyOf(status?.conditions)?.message).to.equal(missing)
    await world.askDrill(archive)
    const { image, variables } = await jobOf(drillJobName(archive.metadata.name))
    expect([image, variables['BASE'], variables['POINT']]).to.deep.equal([tools, 'b'.repeat(64), ''])
    await world.endPod(drillJobName(archive.metadata.name), 1, missing)
    expect((await world.untilDrilled(archive)).status?.drill).to.include({ outcome: 'Failed', message: missing })
  })

  it('has backups of one moment where its server keeps no binary log, whose record says so', async () => {
    const noLaterMoments = 'the server keeps no binary log'
    const archive = await taken(moment(), { noLaterMoments })
    const { status } = (await world.records.backupArchives.readLive(archive.metadata.name)) ?? archive
    expect(status).to.include({ noLaterMoments, lastRestorePoint: status?.firstRestorePoint ?? '' })
    expect(backupTrouble([archive], new Date())).to.equal('')
    expect(await shipping()).not.to.include(named(archive))
  })

  it('leaves nothing in the bucket and the environment once it keeps none and its backups are deleted', async () => {
    await edit(world.records, database, { backups: { enabled: false, retentionDays: 7 } })
    await eventually('nothing is stored any more', async () => (await shipping()).length === 0, 60_000)
    const own = world.records.backupArchives.cache.list().filter(({ spec }) => spec.database === database.metadata.name)
    for (const { metadata } of own) await world.records.backupArchives.remove(metadata.name, metadata.uid ?? '')
    for (const each of own) await world.untilGone(each)
    expect(await world.files()).to.deep.equal([])
  })
})
