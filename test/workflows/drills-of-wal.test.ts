/**
 * Restore drills of a postgres with a copy of its server, as workflows on the simulated cluster: the WAL has to lead to
 * the last moment that the backup tells, whenever the worker dies. The script runs in test/kinds/backup-archives.
 */
import type { V1JobSpec } from '@kubernetes/client-node'
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { archiveName, backupJobName, drillJobName } from '../../kinds/backup-archives/names.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { askBackup } from '../../records/backups/ask-backup.ts'
import { eventually } from '../cluster/eventually.ts'
import { minioWithinMs } from '../harness/minio.ts'
import { secretValues } from '../harness/object-server.ts'
import { atWrites, type WritePoint } from '../kill/write-points.ts'
import { type BackupWorld, openBackupWorld } from './backup-world.ts'
import { type MortalWorld, openMortalWorld } from './mortal-world.ts'

/** keys, Job, outcome, Job gone, Secret gone */
const proving: readonly WritePoint[] = [
  { when: 'after', write: 2 },
  { when: 'after', write: 3 },
]
const [begun, lastMoment] = ['2026-11-20T10:15:00Z', '2026-11-20T11:00:00Z']
const base = 'b'.repeat(64)

describe('a restore drill of a postgres with its WAL', function () {
  this.timeout(120_000)
  let world: BackupWorld
  let database: Database
  let namespace: string
  let mortal: MortalWorld<BackupWorld>
  let turn = 0

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

  /** A backup whose window has come as far as that. */
  const taken = async (last = begun): Promise<BackupArchive> => {
    const name = archiveName(database.metadata.name, new Date(Date.UTC(2026, 0, 1, 0, 0, (turn += 1))))
    const live = (await world.records.databases.readLive(database.metadata.name)) ?? database
    const archive = await askBackup(world.records, live, { name, trigger: 'Manual' })
    const said = JSON.stringify({ checksum: 'a'.repeat(64), size: 9, point: begun, base })
    await world.endPod(backupJobName(name), 0, said)
    await world.untilState(archive, 'ready')
    const place = { type: resourceTypes.backupArchive, namespace: systemNamespace, name }
    await world.records.client.patch(place, { status: { lastRestorePoint: last } }, { subresource: 'status' })
    return archive
  }
  const jobOf = ({ metadata }: BackupArchive): string => drillJobName(metadata.name)
  /** What the drill is to prove, as its Job has it. */
  const wanted = async (archive: BackupArchive): Promise<Record<string, string>> => {
    const job = { type: coreTypes.job, namespace, name: jobOf(archive) }
    const read = () => world.records.client.get<KubeObject & { spec: V1JobSpec }>(job)
    await eventually('its Job is there', async () => (await read()) !== undefined, 60_000)
    const variables = (await read())?.spec.template.spec?.containers[0]?.env ?? []
    return Object.fromEntries(variables.map(({ name, value = '' }) => [name, value]))
  }
  const untilCleared = (archive: BackupArchive): Promise<void> =>
    eventually(
      'nothing of it is left',
      async () => (await secretValues(namespace, jobOf(archive))) === undefined,
      60_000,
    )

  atWrites(
    proving,
    (where) => `proves the last moment that the status names also where the worker dies ${where}`,
    async (point) => {
      const archive = await taken(lastMoment)
      mortal.worker.arm({ ...point, about: '', names: [archive.metadata.name, jobOf(archive)] })
      await world.askDrill(archive)
      const replayed = `"replayed":{"point":"${lastMoment}","tables":1,"rows":3}`
      const ended = world.endPod(jobOf(archive), 0, `{"counts":{"tables":1,"rows":1},${replayed}}`)
      const completion = Promise.all([ended, world.untilDrilled(archive)])
      const died = await mortal.survive(completion)
      const [, { status }] = await completion
      expect(status?.drill).to.include({
        outcome: 'Proven',
        replayedTo: lastMoment,
        message: `1 tables, 1 rows; replayed up to ${lastMoment}: 1 tables, 3 rows`,
      })
      await untilCleared(archive)
      return died
    },
  )

  it('proves the copy alone while no later moment is recorded', async () => {
    const archive = await taken()
    await world.askDrill(archive)
    expect(await wanted(archive)).to.include({ BASE: base, POINT: '' })
    await world.endPod(jobOf(archive), 0, '{"replayed":{"point":"","tables":1,"rows":1}}')
    const { status } = await world.untilDrilled(archive)
    expect(status?.drill).to.include({ outcome: 'Proven', message: 'the copy of its server: 1 tables, 1 rows' })
    expect(status?.drill?.replayedTo).to.equal(undefined)
    await untilCleared(archive)
  })

  it('fails in the words of its pod where a part of the WAL is missing, after one that was proven', async () => {
    const archive = await taken(lastMoment)
    await world.askDrill(archive)
    await world.endPod(jobOf(archive), 0, `{"replayed":{"point":"${lastMoment}","tables":1,"rows":1}}`)
    const proven = await world.untilDrilled(archive)
    await untilCleared(archive)
    await world.askDrill(archive)
    expect(await wanted(archive)).to.include({ BASE: base, POINT: lastMoment })
    await world.endPod(jobOf(archive), 1, 'a part of the WAL of the backup is missing')
    const { status } = await world.untilDrilled(archive)
    expect(status?.drill).to.include({ outcome: 'Failed', message: 'a part of the WAL of the backup is missing' })
    expect(status?.drill?.replayedTo).to.equal(undefined)
    expect(status?.lastProvenAt).to.equal(proven.status?.lastProvenAt)
  })
})
