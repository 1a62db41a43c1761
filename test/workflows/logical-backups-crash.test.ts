/**
 * A worker that dies right before or right after a write for the backup of a logical database: the next one completes
 * it, and a deletion drops the database only once its last backup is whole.
 */
import { expect } from 'chai'
import { archiveName, backupJobName, lastArchiveName } from '../../kinds/backup-archives/names.ts'
import { isVerified } from '../../kinds/backup-archives/rules.ts'
import { dropJobName } from '../../kinds/logical-databases/names.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { askLogicalBackup } from '../../records/backups/ask-logical-backup.ts'
import { eventually } from '../cluster/eventually.ts'
import { engineWithinMs } from '../harness/engines.ts'
import { minioWithinMs } from '../harness/minio.ts'
import { secretValues } from '../harness/object-server.ts'
import { atWrites, type WritePoint } from '../kill/write-points.ts'
import { type LogicalBackupWorld, openLogicalBackupWorld } from './logical-backup-world.ts'
import { jobOf } from './logical-world.ts'
import { type MortalWorld, openMortalWorld } from './mortal-world.ts'

/** finalizer, accepted, keys, Job, Event, waiting, checksum, Job gone, Secret gone, Event, ready */
const making: readonly WritePoint[] = [
  { when: 'after', write: 4 },
  { when: 'after', write: 7 },
]
/** accepted, creation stopped, backup asked for, waiting, then those of the backup, last backup noted, drop */
const deleting: readonly WritePoint[] = [
  { when: 'after', write: 3 },
  { when: 'before', write: 14 },
]

describe('a worker that dies while it backs up a logical database', function () {
  this.timeout(180_000)
  let world: LogicalBackupWorld
  let mortal: MortalWorld<LogicalBackupWorld>
  let turn = 0

  before(async function () {
    this.timeout(minioWithinMs + engineWithinMs)
    mortal = await openMortalWorld(openLogicalBackupWorld)
    world = mortal.world
  })
  after(async function () {
    this.timeout(180_000)
    await mortal?.end()
  })

  atWrites(
    making,
    (where) => `on demand, ${where}, leaves it whole, and no keys`,
    async (point) => {
      const database = await world.holding(`made_${(turn += 1)}`)
      const name = archiveName(database.metadata.name, new Date(Date.UTC(2026, 0, 1, 0, 0, turn)))
      mortal.worker.arm({ ...point, about: '', names: [name, backupJobName(name)] })
      const archive = await askLogicalBackup(world.records, database, { name, trigger: 'Manual' })
      const completion = Promise.all([world.play(backupJobName(name), world.pod), world.untilState(archive, 'ready')])
      const died = await mortal.survive(completion)
      const [, whole] = await completion
      expect(isVerified(whole)).to.equal(true)
      const noKeys = async () => (await secretValues(homeOf(database.spec), backupJobName(name))) === undefined
      await eventually('its keys are gone', noKeys, 60_000)
      expect(world.backupsOf(database)).to.have.length(1)
      return died
    },
  )

  atWrites(
    deleting,
    (where) => `before its deletion, ${where}, drops it once its one last backup is whole`,
    async (point) => {
      const database = await world.holding(`gone_${(turn += 1)}`)
      const { name, uid = '' } = database.metadata
      const last = lastArchiveName(name, uid)
      const drop = dropJobName(database.status?.username ?? '')
      mortal.worker.arm({ ...point, about: '', names: [name, last, backupJobName(last), drop] })
      await world.records.logicalDatabases.remove(name, uid)
      const place = { records: world.records, project: world.project, place: homeOf(database.spec) }
      const played = world.untilAsked(last).then(async () => {
        expect(await jobOf(place, systemNamespace, drop), 'it is dropped already').to.equal(undefined)
        await world.play(backupJobName(last), world.pod)
      })
      const isGone = async () => (await world.records.logicalDatabases.readLive(name)) === undefined
      const completion = Promise.all([played, eventually('it is gone', isGone, 120_000)])
      const died = await mortal.survive(completion)
      await completion
      const own = world.backupsOf(database)
      expect(own.map((each) => [each.metadata.name, isVerified(each)])).to.deep.equal([[last, true]])
      return died
    },
  )
})
