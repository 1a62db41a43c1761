/**
 * What a backup, a drill and a restore come to whose pod is killed at a stage of its script, or whose object store or
 * database dies there: a backup is whole and listed or it is not, and what is left of one goes with its record.
 */
import { expect } from 'chai'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { backupJobName, drillJobName, restoreJobName } from '../../kinds/backup-archives/names.ts'
import { archiveState, isVerified } from '../../kinds/backup-archives/rules.ts'
import { drillTools, type MortalEngine, startRqlite } from '../harness/backed-engines.ts'
import { minioWithinMs } from '../harness/minio.ts'
import { type Stage, struckRclone, type StruckRclone } from '../harness/struck-rclone.ts'
import { resyncUntil } from '../harness/resync.ts'
import { startTestWorker } from '../harness/worker.ts'
import { type BackupWorld, openBackupWorld } from './backup-world.ts'
import { createDatabase, retry, untilState } from './database-world.ts'

const dumping: Stage = { when: 'before', call: 'copyurl' }
const sending: Stage = { when: 'before', call: 'rcat sealed:data.sqlite' }
const sent: Stage = { when: 'after', call: 'rcat sealed:data.sqlite' }
const naming: Stage = { when: 'before', call: 'rcat sealed:manifest.sha256' }
const named: Stage = { when: 'after', call: 'rcat sealed:manifest.sha256' }
const readBack: Stage = { when: 'after', call: 'cat sealed:manifest.sha256' }
const loading: Stage = { when: 'before', call: 'cat sealed:data.sqlite' }
const awayMs = 1_500

describe('the pod of', function () {
  this.timeout(180_000)
  let world: BackupWorld
  let engine: MortalEngine
  let rclone: StruckRclone

  before(async function () {
    this.timeout(minioWithinMs)
    world = await openBackupWorld((env) => startTestWorker({}, 'temporal/main.ts', env))
    engine = await startRqlite()
    rclone = await struckRclone()
    await engine.put('otter')
  })
  after(async function () {
    this.timeout(180_000)
    await engine?.stop()
    await world?.end()
  })

  const live = ({ metadata }: BackupArchive) => world.records.backupArchives.readLive(metadata.name)
  const filesOf = async ({ spec }: BackupArchive): Promise<string[]> =>
    (await world.files()).filter((file) => file.startsWith(`${spec.path}/`))
  const take = (archive: BackupArchive, pod = engine.pod) =>
    world.play(backupJobName(archive.metadata.name), { ...engine, pod })
  async function whole(): Promise<BackupArchive> {
    const archive = await world.ask()
    const end = await take(archive)
    expect(end.code, end.log).to.equal(0)
    return await world.untilState(archive, 'ready')
  }
  async function forget(archive: BackupArchive): Promise<void> {
    await world.records.backupArchives.remove(archive.metadata.name, archive.metadata.uid ?? '')
    await world.untilGone(archive)
    expect(await filesOf(archive)).to.deep.equal([])
  }

  for (const [stage, left] of [
    [sending, 0],
    [sent, 1],
    [named, 2],
    [readBack, 2],
  ] as const)
    it(`a backup that is killed ${stage.when} ${stage.call} leaves none that is listed, and the next one takes its files away`, async () => {
      const kept = await whole()
      const archive = await world.ask()
      await take(archive, rclone.dying(stage, engine.pod))
      const failed = await world.untilState(archive, 'failed')
      expect(archiveState(failed).message).to.equal('the Job of the backup failed')
      expect(isVerified(failed)).to.equal(false)
      expect(await filesOf(archive)).to.have.length(left)
      const next = await whole()
      await resyncUntil('it is gone', async () => (await live(archive)) === undefined)
      expect(await filesOf(archive)).to.deep.equal([])
      for (const each of [kept, next]) {
        expect(await filesOf(each)).to.have.length(2)
        await forget(each)
      }
    })

  const deaths: readonly [string, Stage, () => Promise<void>, () => Promise<void>][] = [
    ['object store', sending, () => world.minio.kill(), () => world.minio.start()],
    ['object store', naming, () => world.minio.kill(), () => world.minio.start()],
    ['database', dumping, () => engine.kill(), () => engine.start()],
  ]
  for (const [what, stage, kill, start] of deaths)
    it(`a backup whose ${what} dies ${stage.when} ${stage.call} is whole, or says that it failed`, async () => {
      const archive = await world.ask()
      let back: Promise<void> | undefined
      const dying = rclone.waiting(stage, engine.pod, async () => {
        await kill()
        back = new Promise((resolve) => setTimeout(resolve, awayMs)).then(start)
      })
      const end = await take(archive, dying)
      expect(back, 'the stage was reached').not.to.equal(undefined)
      await back
      const ended = await world.untilState(archive, end.code === 0 ? 'ready' : 'failed')
      expect(isVerified(ended), end.log).to.equal(end.code === 0)
      expect(archiveState(ended).message).to.equal(end.code === 0 ? '' : end.said)
      if (end.code === 0) expect(await filesOf(archive)).to.have.length(2)
      await forget(archive)
    })

  it('a restore drill that is killed proves nothing, the backup stays, and the next drill proves it', async () => {
    const archive = await whole()
    const job = drillJobName(archive.metadata.name)
    for (const [isKilled, outcome] of [
      [true, 'Failed'],
      [false, 'Proven'],
    ] as const) {
      const { stop, ...tools } = await drillTools('sqlite')
      await world.askDrill(archive)
      await world.play(job, { ...engine, pod: isKilled ? rclone.dying(loading, tools) : tools })
      const drilled = await world.untilDrilled(archive)
      await stop()
      expect(drilled.status?.drill?.outcome, drilled.status?.drill?.message).to.equal(outcome)
      expect(isVerified(drilled)).to.equal(true)
      expect(drilled.status?.lastProvenAt === undefined).to.equal(isKilled)
    }
    expect(await filesOf(archive)).to.have.length(2)
    await forget(archive)
  })

  it('a restore that is killed leaves a database that is not ready, and a retry fills it', async () => {
    const { records, project } = world
    const archive = await whole()
    const other = await startRqlite()
    const from = { engine: 'sqlite', restoreFrom: { archive: archive.metadata.name } }
    const database = await createDatabase(records, project, from)
    const job = restoreJobName(database.metadata.name)
    await world.play(job, { ...other, pod: rclone.dying(loading, other.pod) })
    const failed = await untilState(records, database, 'failed')
    expect(failed.status?.restored).to.equal(undefined)
    await retry(records, database)
    await untilState(records, database, 'pending')
    const end = await world.play(job, other)
    expect(end.code, end.log).to.equal(0)
    await untilState(records, database, 'ready')
    expect(await other.take()).to.equal('otter')
    await other.stop()
  })
})
