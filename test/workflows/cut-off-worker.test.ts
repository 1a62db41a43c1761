/**
 * A worker that stands still before a write, and goes on with it after another worker has removed the record: nothing
 * is left of objects without an owner.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { volumeClaimName } from '../../kinds/apps/names.ts'
import { volumeName } from '../../kinds/databases/names.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { eventually } from '../cluster/eventually.ts'
import {
  createApp,
  createProject,
  deploy,
  type TestRecords,
  untilState,
  useRecords,
  wakeWith,
} from '../harness/records.ts'
import { resyncUntil } from '../harness/resync.ts'
import { testPolicy, withoutWorker } from '../harness/worker.ts'
import { killPolicy, startMortalWorker } from '../kill/enumerated.ts'
import type { MortalProcess } from '../kill/mortal-process.ts'
import { orphanBreaches } from '../kill/orphan-breaches.ts'
import { createDatabase, ownedBy, remove } from './database-world.ts'
import { edit, liveDeployment, untilSetUp } from './service-world.ts'

/** Temporal gives tasks to the polls of the worker that stands still, too: each is lost until its timeout. */
const waitMs = 90_000

describe('a worker that stood still while what it worked on was removed', function () {
  this.timeout(240_000)
  let records: TestRecords
  let project: Project
  let late: MortalProcess

  before(async () => {
    records = await useRecords()
    await withoutWorker()
    wakeWith(killPolicy)
    late = await startMortalWorker()
    project = await createProject(records)
    await untilSetUp(records, project)
  })
  after(async () => {
    wakeWith(testPolicy)
    await late.kill()
  })

  const isStopped = ({ pid }: MortalProcess): boolean => /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))

  /** A deploy whose worker stands still before it applies the Deployment, while another one does `meanwhile`. */
  async function deployLate(
    meanwhile: (app: App) => Promise<unknown>,
    {
      at = '"kind":"Deployment"',
      dies = false,
      spec = {},
    }: { at?: string; dies?: boolean; spec?: Partial<AppSpec> } = {},
  ): Promise<App> {
    if (!late.alive) late = await startMortalWorker()
    const app = await createApp(records, project, spec)
    const names = [app.metadata.name, volumeClaimName(app.metadata.name)]
    late.arm({ when: 'before', write: 1, about: '', names, holding: at, stops: true, dies })
    await deploy(records, app)
    await eventually('the worker stands still', async () => isStopped(late), waitMs)
    const other = await startMortalWorker()
    await meanwhile(app)
    await other.kill()
    expect(await liveDeployment(records, app)).to.equal(undefined)
    process.kill(late.pid, 'SIGCONT')
    // Longer than the pass takes from there on.
    if (dies) await late.gone
    else await sleep(3_000)
    return app
  }

  const removed = async (app: App) => {
    await records.apps.remove(app.metadata.name, app.metadata.uid ?? '')
    await eventually(
      'it is removed',
      async () => (await records.apps.readLive(app.metadata.name)) === undefined,
      waitMs,
    )
  }
  const orphans = () => orphanBreaches(records.client, [project.metadata.name])
  const kindsOf = (breaches: readonly string[]) => breaches.map((words) => words.split(' ')[0])

  it('leaves nothing of what it applied after a deletion but a record, which the resync sweeps', async () => {
    await deployLate(removed)
    const isSwept = (words: string) => words.startsWith(resourceTypes.deployment.kind)
    await eventually('nothing else is left', async () => (await orphans()).every(isSwept), waitMs)
  })

  it('leaves no volume that it made after a deletion', async () => {
    const spec = { volume: { path: '/data', size: '1Gi' } }
    await deployLate(removed, { at: '"kind":"PersistentVolumeClaim"', spec })
    const isClaim = (words: string) => words.startsWith(coreTypes.persistentVolumeClaim.kind)
    await eventually('the volume is gone', async () => !(await orphans()).some(isClaim), waitMs)
    expect(kindsOf(await orphans())).to.not.include('Deployment')
  })

  it('leaves what the resync removes where it dies right after a late write', async () => {
    const spec = { volume: { path: '/data', size: '1Gi' }, configData: { GREETING: 'hello' } }
    await deployLate(removed, { at: '"kind":"PersistentVolumeClaim"', dies: true, spec })
    await deployLate(removed, { dies: true })
    expect(kindsOf(await orphans())).to.include.members(['PersistentVolumeClaim', 'Deployment'])
    const other = await startMortalWorker({ sweepMs: 1 })
    try {
      await resyncUntil('nothing is left', async () => (await orphans()).length === 0)
    } finally {
      await other.kill()
    }
  })

  it('leaves nothing of what it applied after a deploy was taken back', async () => {
    const app = await deployLate(async (draft) => {
      await edit(records, draft, (spec) => ({ deploy: { ...spec.deploy, enabled: false } }))
      await untilState(records, draft, 'draft')
    })
    await eventually('nothing runs', async () => (await liveDeployment(records, app)) === undefined, waitMs)
  })

  it('leaves nothing of the server that it made after its database was removed', async () => {
    if (!late.alive) late = await startMortalWorker()
    const holding = '"kind":"PersistentVolumeClaim"'
    const name = `late-${randomBytes(4).toString('hex')}`
    late.arm({ when: 'before', write: 1, about: '', names: [name, volumeName(name)], holding, stops: true })
    const database = await createDatabase(records, project, {}, name)
    await eventually('the worker stands still', async () => isStopped(late), waitMs)
    const other = await startMortalWorker()
    await remove(records, database)
    await eventually('it is removed', async () => (await records.databases.readLive(name)) === undefined, waitMs)
    await other.kill()
    expect(await ownedBy(records, database)).to.deep.equal([])
    process.kill(late.pid, 'SIGCONT')
    await sleep(3_000)
    await eventually('nothing is left', async () => (await ownedBy(records, database)).length === 0, waitMs)
  })
})
