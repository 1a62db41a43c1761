/**
 * Restore drills as workflows: asked for by the resync, proven or failed, and nothing of them left. The pods of the
 * Jobs are played; on every engine their script runs in test/kinds/backup-archives.
 */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { askedDrill } from '../../kinds/backup-archives/drills.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { backupJobName, drillJobName } from '../../kinds/backup-archives/names.ts'
import { archiveState, isVerified } from '../../kinds/backup-archives/rules.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { drillTools } from '../harness/backed-engines.ts'
import { minioWithinMs } from '../harness/minio.ts'
import { secretValues } from '../harness/object-server.ts'
import { resyncUntil } from '../harness/resync.ts'
import { startTestWorker } from '../harness/worker.ts'
import { type BackupWorld, openBackupWorld } from './backup-world.ts'

describe('a restore drill', function () {
  this.timeout(120_000)
  let world: BackupWorld
  let tools: Awaited<ReturnType<typeof drillTools>>
  let archive: BackupArchive

  before(async function () {
    this.timeout(minioWithinMs)
    world = await openBackupWorld((env) => startTestWorker({}, 'temporal/main.ts', env))
    await world.engine.put('otter')
    tools = await drillTools(world.engine.engine)
    archive = await world.ask()
    await world.play(backupJobName(archive.metadata.name))
    archive = await world.untilState(archive, 'ready')
  })
  after(async function () {
    this.timeout(120_000)
    await tools?.stop()
    await world?.end()
  })

  const job = () => drillJobName(archive.metadata.name)
  const now = async () => (await world.records.backupArchives.readLive(archive.metadata.name)) ?? archive
  const jobs = async (): Promise<string[]> =>
    (await world.records.client.list<KubeObject>(coreTypes.job, { namespace: homeOf(world.database.spec) })).items.map(
      ({ metadata }) => metadata.name,
    )
  const isCleared = async () =>
    !(await jobs()).includes(job()) && (await secretValues(homeOf(world.database.spec), job())) === undefined

  it('is asked for once by the resync, proves the backup, which stays ready, and leaves nothing', async () => {
    await resyncUntil('it is asked for', async () => askedDrill(await now()) !== '')
    const asked = askedDrill(await now())
    await eventually('its Job is there', async () => (await jobs()).includes(job()), 60_000)
    expect(archiveState(await now()).state).to.equal('ready')
    const end = await world.play(job(), { ...world.engine, pod: tools })
    expect(end.code, end.log).to.equal(0)
    const { status } = await world.untilDrilled(archive)
    expect(status?.drill, JSON.stringify(status)).to.include({ asked, outcome: 'Proven' })
    expect(status?.lastProvenAt).to.equal(status?.drill?.at)
    expect(archiveState(await now()).state).to.equal('ready')
    await eventually('nothing of it is left', isCleared, 60_000)
  })

  it('that finds something else than was stored fails, says what, and the backup stays', async () => {
    const { status } = await now()
    const counts = { tables: 3, rows: 9 }
    await world.records.client.patch(
      { type: resourceTypes.backupArchive, namespace: systemNamespace, name: archive.metadata.name },
      { status: { counts: { keys: null, pages: null, ...counts } } },
      { subresource: 'status' },
    )
    await world.askDrill(archive)
    await world.endPod(job(), 0, '{"counts":{"tables":3,"rows":8}}')
    const failed = await world.untilDrilled(archive)
    const message = 'what was restored has 3 tables, 8 rows, and the backup 3 tables, 9 rows'
    expect(failed.status?.drill).to.include({ outcome: 'Failed', message })
    expect(failed.status?.lastProvenAt).to.equal(status?.lastProvenAt)
    expect([isVerified(failed), archiveState(failed).state]).to.deep.equal([true, 'ready'])
    const { items } = await world.records.client.list<KubeObject & { reason?: string; message?: string }>(
      coreTypes.event,
      { namespace: systemNamespace },
    )
    expect(items.filter(({ reason }) => reason === 'DrillFailed').map((event) => event.message)).to.include(message)
    await eventually('nothing of it is left', isCleared, 60_000)
  })

  it('fails where the name of its Secret is taken, and leaves that Secret alone', async () => {
    const namespace = homeOf(world.database.spec)
    const taken: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name: job(), namespace } }
    const { metadata } = await world.records.client.create(coreTypes.secret, taken)
    await world.askDrill(archive)
    const { status } = await world.untilDrilled(archive)
    const message = `Secret ${job()} in namespace ${namespace} belongs to another owner; rename the service or remove that object`
    expect(status?.drill).to.include({ outcome: 'Failed', message })
    const ref = { type: coreTypes.secret, namespace, name: job() }
    expect((await world.records.client.get<KubeObject>(ref))?.metadata.uid).to.equal(metadata.uid)
    await world.records.client.delete(ref)
  })

  it('whose pod says nothing fails, and one of a deleted backup goes with it', async () => {
    await world.askDrill(archive)
    await world.endPod(job(), 1, '')
    expect((await world.untilDrilled(archive)).status?.drill?.message).to.equal('the Job of the restore drill failed')
    await eventually('nothing of it is left', isCleared, 60_000)
    await world.askDrill(archive)
    await eventually('its Job is there', async () => (await jobs()).includes(job()), 60_000)
    await world.records.backupArchives.remove(archive.metadata.name, archive.metadata.uid ?? '')
    await world.untilGone(archive)
    expect(await isCleared()).to.equal(true)
    expect(await world.files()).to.deep.equal([])
  })
})
