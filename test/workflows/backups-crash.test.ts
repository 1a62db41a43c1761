/**
 * A worker that dies right before or right after a write for a backup: the next one completes it, it is listed only
 * once it is whole, and its deletion leaves nothing.
 */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { archiveName, backupJobName } from '../../kinds/backup-archives/names.ts'
import { isVerified } from '../../kinds/backup-archives/rules.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { minioWithinMs } from '../harness/minio.ts'
import { wakeWith } from '../harness/records.ts'
import { testPolicy, useWorker } from '../harness/worker.ts'
import { killPolicy, startMortalWorker } from '../kill/enumerated.ts'
import type { MortalProcess } from '../kill/mortal-process.ts'
import { atWrites, diesWith, type WritePoint } from '../kill/write-points.ts'
import { type BackupWorld, openBackupWorld } from './backup-world.ts'

/** finalizer, accepted, keys, Job, Event, waiting, checksum, Job gone, Secret gone, Event, ready */
const making: readonly WritePoint[] = [
  { when: 'after', write: 4 },
  { when: 'after', write: 7 },
]
/** accepted, finalizer */
const removing: readonly WritePoint[] = [{ when: 'before', write: 2 }]

describe('a worker that dies while it', function () {
  this.timeout(180_000)
  let world: BackupWorld
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
    await world.engine.put('otter')
  })
  after(async function () {
    this.timeout(180_000)
    await world?.end()
    wakeWith(testPolicy)
    await worker?.kill()
    await useWorker()
  })

  /** Whether the worker died at the write; another worker runs by then. */
  async function survive(settled: Promise<unknown>): Promise<boolean> {
    const died = await diesWith(worker, settled)
    if (died) worker = await startMortalWorker({}, undefined, env)
    return died
  }
  const moment = (): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, (turn += 1)))
  const arm = (point: WritePoint, at: Date): void => {
    const name = archiveName(world.database.metadata.name, at)
    worker.arm({ ...point, about: '', names: [name, backupJobName(name)] })
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
      .filter((name) => name.endsWith('-backup'))
  }

  atWrites(
    making,
    (where) => `takes a backup, ${where}, leaves it whole, and nothing of its Job`,
    async (point) => {
      const at = moment()
      arm(point, at)
      const archive = await world.ask(at)
      const played = world.play(backupJobName(archive.metadata.name))
      const settled = Promise.all([played, world.untilState(archive, 'ready')])
      const died = await survive(settled)
      const [, whole] = await settled
      expect(isVerified(whole)).to.equal(true)
      expect(await leftOfJobs()).to.deep.equal([])
      expect((await world.files()).filter((file) => file.startsWith(`${archive.spec.path}/`))).to.have.length(2)
      await world.records.backupArchives.remove(archive.metadata.name, archive.metadata.uid ?? '')
      await world.untilGone(archive)
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
      const settled = world.untilGone(archive)
      const died = await survive(settled)
      await settled
      expect(await world.files()).to.deep.equal([])
      return died
    },
  )
})
