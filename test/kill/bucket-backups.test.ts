/**
 * A worker that dies right before or right after a write for the backup of a bucket: the next one completes it, a new
 * bucket gets all of its objects, and a deletion removes the bucket only once its last backup is whole. It runs when
 * its folder is named: every run has the deaths in the backups of databases and of logical databases, those in a
 * restore of a bucket are here alone.
 */
import { expect } from 'chai'
import { annotations } from '../../kinds/meta/annotations.ts'
import {
  archiveName,
  backupJobName,
  drillJobName,
  lastArchiveName,
  restoreJobName,
} from '../../kinds/backup-archives/names.ts'
import { isVerified } from '../../kinds/backup-archives/rules.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { eventually } from '../cluster/eventually.ts'
import { minioWithinMs } from '../harness/minio.ts'
import { createBucketStore, secretValues } from '../harness/object-server.ts'
import { atWrites, type WritePoint } from './write-points.ts'
import { type BucketBackupWorld, openBucketBackupWorld } from '../workflows/bucket-backup-world.ts'
import { type MortalWorld, openMortalWorld } from '../workflows/mortal-world.ts'

const rightAfter = (...writes: number[]): WritePoint[] => writes.map((write) => ({ when: 'after', write }))

/** finalizer, accepted, keys, Job, Event, waiting, checksum, Job gone, Secret gone, Event, ready */
const making = rightAfter(3, 4, 7)
/** keys, Job, outcome, Job gone, Secret gone */
const proving = rightAfter(2, 3)
/** finalizer, accepted, keys of the bucket, buckets noted, keys of the Job, Job, Event, waiting, restored, and so on */
const restoring = rightAfter(5, 6, 9)
/** accepted, backup asked for, waiting, then those of the backup, last backup noted, and so on */
const deleting: readonly WritePoint[] = [...rightAfter(2), { when: 'before', write: 14 }]
/** accepted, finalizer */
const removing: readonly WritePoint[] = [{ when: 'before', write: 2 }]

describe('a worker that dies while it', function () {
  this.timeout(180_000)
  let world: BucketBackupWorld
  let mortal: MortalWorld<BucketBackupWorld>
  let kept: ObjectStore
  let turn = 0

  before(async function () {
    this.timeout(minioWithinMs)
    mortal = await openMortalWorld(openBucketBackupWorld)
    world = mortal.world
    kept = await world.holding('kept')
  })
  after(async function () {
    this.timeout(180_000)
    await mortal?.end()
  })

  const moment = (): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, (turn += 1)))
  const keysGone = (job: string) =>
    eventually('its keys are gone', async () => (await secretValues(homeOf(kept.spec), job)) === undefined, 60_000)
  const whole = async () => {
    const archive = await world.askFor(kept, moment())
    await Promise.all([world.play(backupJobName(archive.metadata.name), world.pod), world.untilState(archive, 'ready')])
    return archive
  }
  const remove = async (name: string, uid = '') => {
    await world.records.backupArchives.remove(name, uid)
  }

  atWrites(
    making,
    (where) => `backs a bucket up, ${where}, leaves the backup whole, and no keys`,
    async (point) => {
      const at = moment()
      const name = archiveName(kept.metadata.name, at)
      mortal.worker.arm({ ...point, about: '', names: [name, backupJobName(name)] })
      const archive = await world.askFor(kept, at)
      const completion = Promise.all([world.play(backupJobName(name), world.pod), world.untilState(archive, 'ready')])
      const died = await mortal.survive(completion)
      const [, made] = await completion
      expect(isVerified(made)).to.equal(true)
      await keysGone(backupJobName(name))
      expect((await world.files()).filter((file) => file.startsWith(`${archive.spec.path}/`))).to.have.length(2)
      return died
    },
  )

  atWrites(
    proving,
    (where) => `restores a backup of a bucket on trial, ${where}, proves it, and leaves no keys`,
    async (point) => {
      const { backupArchives } = world.records
      const { metadata } = await whole()
      const server = await world.drilling()
      mortal.worker.arm({ ...point, about: '', names: [metadata.name, drillJobName(metadata.name)] })
      await backupArchives.edit(metadata.name, (current) => ({
        ...current,
        metadata: { ...current.metadata, annotations: { [annotations.drill]: '2026-01-02T00:00:00.000Z' } },
      }))
      const isProven = async () => (await backupArchives.readLive(metadata.name))?.status?.drill?.outcome === 'Proven'
      const played = world.play(drillJobName(metadata.name), server)
      const completion = Promise.all([played, eventually('it is proven', isProven, 90_000)])
      const died = await mortal.survive(completion)
      await completion
      await server.stop()
      await keysGone(drillJobName(metadata.name))
      return died
    },
  )

  atWrites(
    restoring,
    (where) => `restores a bucket, ${where}, leaves a new one with its objects, and no keys of the backups`,
    async (point) => {
      const { metadata } = await whole()
      const bucket = `restored-${(turn += 1)}`
      // Named before it is made, so that the process dies at its first writes, too.
      const name = `store-${bucket}`
      mortal.worker.arm({ ...point, about: '', names: [name, restoreJobName(name)] })
      const store = await createBucketStore(
        world.records,
        world.project,
        { buckets: [bucket], restoreFrom: { archive: metadata.name } },
        name,
      )
      const played = world.play(restoreJobName(name), world.pod)
      const read = () => world.records.objectStores.readLive(store.metadata.name)
      const isReady = async () => readyOf((await read())?.status?.conditions)?.status === 'True'
      const completion = Promise.all([played, eventually('it is ready', isReady, 120_000)])
      const died = await mortal.survive(completion)
      await completion
      expect((await read())?.status?.restored?.archive).to.equal(metadata.name)
      expect(await world.wordOf(bucket)).to.equal('kept')
      await keysGone(restoreJobName(name))
      return died
    },
  )

  atWrites(
    deleting,
    (where) => `deletes a bucket, ${where}, removes it once its one last backup is whole`,
    async (point) => {
      const store = await world.holding(`gone-${(turn += 1)}`)
      const { name, uid = '' } = store.metadata
      const last = lastArchiveName(name, uid)
      mortal.worker.arm({ ...point, about: '', names: [name, last, backupJobName(last)] })
      await world.records.objectStores.remove(name, uid)
      const played = world.untilAsked(last).then(async () => {
        expect(await world.wordOf(store.spec.buckets[0] ?? ''), 'it is gone already').not.to.equal('')
        await world.play(backupJobName(last), world.pod)
      })
      const isGone = async () => (await world.records.objectStores.readLive(name)) === undefined
      const completion = Promise.all([played, eventually('it is gone', isGone, 120_000)])
      const died = await mortal.survive(completion)
      await completion
      const own = world.backupsOf(store)
      expect(own.map((each) => [each.metadata.name, isVerified(each)])).to.deep.equal([[last, true]])
      expect(own[0]?.status?.counts?.objects).to.equal(1)
      return died
    },
  )

  atWrites(
    removing,
    (where) => `removes a backup of a bucket, ${where}, leaves none of its files`,
    async (point) => {
      const archive = await whole()
      const { name, uid } = archive.metadata
      mortal.worker.arm({ ...point, about: '', names: [name] })
      await remove(name, uid)
      const completion = world.untilGone(archive)
      const died = await mortal.survive(completion)
      await completion
      expect((await world.files()).filter((file) => file.startsWith(`${archive.spec.path}/`))).to.deep.equal([])
      return died
    },
  )
})
