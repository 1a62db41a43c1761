/**
 * A live setting that is taken back after a worker applied a part of it and died: the record asks for what it asked for
 * before, and something else is there. The same of a service that is undeployed and deployed again.
 */
import { expect } from 'chai'
import type { App } from '../../kinds/apps/kind.ts'
import { appState } from '../../kinds/apps/state.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { wakeServiceName } from '../../kinds/apps/names.ts'
import { installSleepKinds } from '../harness/keda/install.ts'
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
import { attemptIn, edit, liveDeployment, untilSetUp } from './service-world.ts'
import { createSleeper, sleepReader } from './sleep-world.ts'

describe('a live setting that is taken back while it is applied', function () {
  this.timeout(180_000)
  let records: TestRecords
  let project: Project
  let worker: MortalProcess
  let uninstall: (() => Promise<void>) | undefined

  before(async () => {
    records = await useRecords()
    await withoutWorker()
    wakeWith(killPolicy)
    uninstall = await installSleepKinds(records.client)
    worker = await startMortalWorker()
    project = await createProject(records)
    await untilSetUp(records, project)
  })
  after(async () => {
    wakeWith(testPolicy)
    await worker.kill()
    await uninstall?.()
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
  })

  const running = async (draft: App): Promise<App> =>
    untilState(records, draft, 'ready', attemptIn(await deploy(records, draft)))

  /** The worker dies right after its first write that holds this text. */
  const apply = async (app: App, change: Parameters<typeof edit>[2], holding: string): Promise<void> => {
    worker.arm({ when: 'after', write: 1, about: app.metadata.name, holding })
    await edit(records, app, change)
    await worker.gone
  }

  const takeBack = async (app: App, change: Parameters<typeof edit>[2]): Promise<void> => {
    await edit(records, app, change)
    worker = await startMortalWorker()
    await untilState(records, app, 'ready')
  }

  it('leaves as many copies as before', async () => {
    const app = await running(await createApp(records, project))
    const on = sleepReader(records, app)
    await apply(app, () => ({ replicas: 3 }), '"replicas":3')
    expect(await on.copies(), 'applied in part').to.equal(3)
    await takeBack(app, () => ({ replicas: 1 }))
    expect(await on.copies()).to.equal(1)
  })

  it('leaves a service that its requests wake', async () => {
    const app = await running(await createSleeper(records, project))
    const on = sleepReader(records, app)
    const enabled = (is: boolean) => (spec: App['spec']) => ({ scaleToZero: { ...spec.scaleToZero, enabled: is } })
    await apply(app, enabled(false), '"kind":"Ingress"')
    expect(await on.leadsTo(), 'applied in part').to.equal(app.metadata.name)
    await takeBack(app, enabled(true))
    expect(await on.leadsTo()).to.equal(wakeServiceName(app.metadata.name, app.metadata.uid ?? ''))
    expect((await on.scaler())?.spec.minReplicaCount).to.equal(0)
  })
  it('leaves a service that runs, where it is undeployed and deployed again, and is not ready before', async () => {
    const app = await running(await createApp(records, project))
    const enabled = (is: boolean) => (spec: App['spec']) => ({ deploy: { ...spec.deploy, enabled: is } })
    worker.arm({ when: 'after', write: 3, about: app.metadata.name })
    await edit(records, app, enabled(false))
    await worker.gone
    const asked = await edit(records, app, enabled(true))
    expect(asked === undefined ? '' : appState(asked).state).to.equal('pending')
    expect(await liveDeployment(records, app), 'removed in part').to.equal(undefined)
    worker = await startMortalWorker()
    await untilState(records, app, 'ready')
    expect((await liveDeployment(records, app))?.spec?.replicas).to.equal(1)
  })
})
