/**
 * A worker that dies right before or right after a write for a backup: the next one completes it, it is listed only
 * once it is whole, and its deletion leaves nothing.
 */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { archiveName, backupJobName, drillJobName, lastArchiveName } from '../../kinds/backup-archives/names.ts'
import { isVerified } from '../../kinds/backup-archives/rules.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { eventually } from '../cluster/eventually.ts'
import { drillTools } from '../harness/backed-engines.ts'
import { minioWithinMs } from '../harness/minio.ts'
import { atWrites, type WritePoint } from '../kill/write-points.ts'
import { type BackupWorld, openBackupWorld } from './backup-world.ts'
import { ownedBy } from './database-world.ts'
import { type MortalWorld, openMortalWorld } from './mortal-world.ts'

/** finalizer, accepted, keys, Job, Event, waiting, checksum, Job gone, Secret gone, Event, ready */
const making: readonly WritePoint[] = [
  { when: 'after', write: 4 },
  { when: 'after', write: 7 },
]
/** accepted, backup asked for, waiting, then those of the backup, last backup noted, Event, StatefulSet, Service */
const deleting: readonly WritePoint[] = [
  { when: 'after', write: 2 },
  { when: 'before', write: 14 },
]
/** keys, Job, outcome, Job gone, Secret gone */
const proving: readonly WritePoint[] = [
  { when: 'after', write: 2 },
  { when: 'after', write: 3 },
]
/** accepted, finalizer */
const removing: readonly WritePoint[] = [{ when: 'before', write: 2 }]

describe('a worker that dies while it', function () {
  this.timeout(180_000)
  let world: BackupWorld
  let mortal: MortalWorld<BackupWorld>
  let turn = 0

  before(async function () {
    this.timeout(minioWithinMs)
    mortal = await openMortalWorld(openBackupWorld)
    world = mortal.world
    await world.engine.put('otter')
  })
  after(async function () {
    this.timeout(180_000)
    await mortal?.end()
  })

  const moment = (): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, (turn += 1)))
  const arm = (point: WritePoint, at: Date): void => {
    const name = archiveName(world.database.metadata.name, at)
    mortal.worker.arm({ ...point, about: '', names: [name, backupJobName(name)] })
  }
  const leftOfJobs = async (): Promise<string[]> => {
    const namespace = homeOf(world.database.spec)
    const found = await Promise.all(
      [coreTypes.job, coreTypes.secret].map((type) =>
        world.records.client.list<KubeObject>(type, { namespace, metadataOnly: true }),
      ),
    )
    return found
      .flatMap(({ items }) => items.map(({ metadata }) => metadata.name))
      .filter((name) => /-(backup|drill)$/.test(name))
  }

  atWrites(
    making,
    (where) => `takes a backup, ${where}, leaves it whole, and nothing of its Job`,
    async (point) => {
      const at = moment()
      arm(point, at)
      const archive = await world.ask(at)
      const played = world.play(backupJobName(archive.metadata.name))
      const completion = Promise.all([played, world.untilState(archive, 'ready')])
      const died = await mortal.survive(completion)
      const [, whole] = await completion
      expect(isVerified(whole)).to.equal(true)
      expect(await leftOfJobs()).to.deep.equal([])
      expect((await world.files()).filter((file) => file.startsWith(`${archive.spec.path}/`))).to.have.length(2)
      await world.records.backupArchives.remove(archive.metadata.name, archive.metadata.uid ?? '')
      await world.untilGone(archive)
      return died
    },
  )

  atWrites(
    proving,
    (where) => `restores a backup on trial, ${where}, proves it, and leaves nothing of the drill`,
    async (point) => {
      const { backupArchives } = world.records
      const archive = await world.ask(moment())
      const { name, uid = '' } = archive.metadata
      await Promise.all([world.play(backupJobName(name)), world.untilState(archive, 'ready')])
      const tools = await drillTools(world.engine.engine)
      mortal.worker.arm({ ...point, about: '', names: [name, drillJobName(name)] })
      await backupArchives.edit(name, (current) => ({
        ...current,
        metadata: { ...current.metadata, annotations: { [annotations.drill]: '2026-01-02T00:00:00.000Z' } },
      }))
      const played = world.play(drillJobName(name), { ...world.engine, pod: tools })
      const isProven = async () => (await backupArchives.readLive(name))?.status?.drill?.outcome === 'Proven'
      const completion = Promise.all([played, eventually('it is proven', isProven, 90_000)])
      const died = await mortal.survive(completion)
      await completion
      await tools.stop()
      await eventually('nothing of it is left', async () => (await leftOfJobs()).length === 0, 60_000)
      await backupArchives.remove(name, uid)
      await world.untilGone(archive)
      return died
    },
  )

  atWrites(
    deleting,
    (where) => `deletes a database, ${where}, leaves its one last backup whole, and nothing else of it`,
    async (point) => {
      const { backupArchives, databases } = world.records
      const database = await world.another()
      const { name, uid = '' } = database.metadata
      const last = lastArchiveName(name, uid)
      mortal.worker.arm({ ...point, about: '', names: [name, last, backupJobName(last)] })
      await databases.remove(name, uid)
      const played = world.untilAsked(last).then(() => world.play(backupJobName(last)))
      const isGone = async () => (await databases.readLive(name)) === undefined
      const completion = Promise.all([played, eventually('it is gone', isGone, 90_000)])
      const died = await mortal.survive(completion)
      await completion
      const own = backupArchives.cache.list().filter(({ spec }) => spec.databaseUid === uid)
      expect(own.map((each) => [each.metadata.name, isVerified(each)])).to.deep.equal([[last, true]])
      // The deletion waits for the backup to be verified, not for the end of its Job.
      await eventually('nothing of its Job is left', async () => (await leftOfJobs()).length === 0, 60_000)
      expect(await ownedBy(world.records, database)).to.deep.equal([])
      const [whole] = own
      if (whole !== undefined) {
        await backupArchives.remove(last, whole.metadata.uid ?? '')
        await world.untilGone(whole)
      }
      return died
    },
  )

  atWrites(
    removing,
    (where) => `removes a backup, ${where}, leaves none of its files`,
    async (point) => {
      const at = moment()
      const archive = await world.ask(at)
      await Promise.all([world.play(backupJobName(archive.metadata.name)), world.untilState(archive, 'ready')])
      arm(point, at)
      await world.records.backupArchives.remove(archive.metadata.name, archive.metadata.uid ?? '')
      const completion = world.untilGone(archive)
      const died = await mortal.survive(completion)
      await completion
      expect(await world.files()).to.deep.equal([])
      return died
    },
  )
})
