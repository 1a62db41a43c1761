/**
 * A worker that stands still before a write, and goes on with it after another worker has removed the record: nothing
 * is left of objects without an owner.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { App } from '../../kinds/apps/kind.ts'
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
  async function deployLate(meanwhile: (app: App) => Promise<unknown>): Promise<App> {
    if (!late.alive) late = await startMortalWorker()
    const app = await createApp(records, project)
    late.arm({ when: 'before', write: 1, about: app.metadata.name, holding: '"kind":"Deployment"', stops: true })
    await deploy(records, app)
    await eventually('the worker stands still', async () => isStopped(late), waitMs)
    const other = await startMortalWorker()
    await meanwhile(app)
    await other.kill()
    expect(await liveDeployment(records, app)).to.equal(undefined)
    process.kill(late.pid, 'SIGCONT')
    // Longer than the pass takes from there on.
    await sleep(3_000)
    return app
  }

  it('leaves nothing of what it applied after a deletion but a record, which the resync sweeps', async () => {
    await deployLate(async (app) => {
      await records.apps.remove(app.metadata.name, app.metadata.uid ?? '')
      await eventually(
        'it is removed',
        async () => (await records.apps.readLive(app.metadata.name)) === undefined,
        waitMs,
      )
    })
    const isSwept = (words: string) => words.startsWith(resourceTypes.deployment.kind)
    await eventually(
      'nothing else is left',
      async () => (await orphanBreaches(records.client, [project.metadata.name])).every(isSwept),
      waitMs,
    )
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
