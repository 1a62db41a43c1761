/**
 * The history of a deploy that succeeded is in the status of its service, from the write on that says its end: a worker
 * that dies right after that leaves what follows to others, and one of an earlier release the history as well.
 */
import { expect } from 'chai'
import { workflowId } from '../../durable/ids.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { readAttemptLog } from '../../records/deployments/read-attempt-log.ts'
import {
  createApp,
  createProject,
  deploy,
  wakeWith,
  type TestRecords,
  until,
  untilState,
  useRecords,
} from '../harness/records.ts'
import { useClient } from '../harness/temporal-client.ts'
import { testPolicy, withoutWorker } from '../harness/worker.ts'
import { killPolicy, startMortalWorker } from '../kill/enumerated.ts'
import type { MortalProcess } from '../kill/mortal-process.ts'
import { attemptIn, stepsNow, stepsOf, untilSetUp } from './service-world.ts'

describe('the history of a success', function () {
  this.timeout(180_000)
  let records: TestRecords
  let project: Project
  let worker: MortalProcess

  before(async () => {
    records = await useRecords()
    await withoutWorker()
    wakeWith(killPolicy)
    worker = await startMortalWorker()
    project = await createProject(records)
    await untilSetUp(records, project)
  })
  after(async () => {
    wakeWith(testPolicy)
    await worker.kill()
  })

  const ended = (app: App, attempt: string) =>
    until(
      records.apps,
      app,
      (seen) => seen?.status?.lastAttempt?.id === attempt && seen.status.lastAttempt.phase === 'Succeeded',
      'ended',
    )

  /** A service whose worker died right after it wrote the success, and whose run was ended by hand. */
  const cutOff = async (): Promise<{ app: App; attempt: string }> => {
    const app = await createApp(records, project)
    worker.arm({ when: 'after', write: 1, about: app.metadata.name, holding: '"phase":"Succeeded"' })
    const attempt = attemptIn(await deploy(records, app))
    await worker.gone
    await ended(app, attempt)
    const { workflow } = await useClient()
    await workflow.getHandle(workflowId('app', app.metadata.name)).terminate('by a test')
    return { app, attempt }
  }

  /** The same by a worker of a release that wrote the history after the status. */
  const withoutHistory = async (): Promise<{ app: App; attempt: string }> => {
    const { app, attempt } = await cutOff()
    const ref = { type: resourceTypes.app, namespace: systemNamespace, name: app.metadata.name }
    await records.client.patch<App>(ref, { status: { history: null } }, { subresource: 'status' })
    return { app, attempt }
  }

  const historyOf = async (app: App): Promise<string[]> =>
    ((await records.apps.readLive(app.metadata.name))?.status?.history ?? []).map(({ id }) => id)

  const whole = /^\S+ accepted: .* \(deploy by .+\)\n[^]*\S+ applying release [^]*Succeeded: 1 of 1 copies ready$/
  const isWhole = async (attempt: string): Promise<boolean> => whole.test(await stepsOf(records, attempt))

  it('is whole when its worker dies right after the status, and stays so once another deploy replaces it', async () => {
    const { app, attempt } = await cutOff()
    const before = await stepsNow(records, attempt)
    expect(before.join('\n')).to.match(whole)
    const next = attemptIn(await deploy(records, app))
    worker = await startMortalWorker()
    await untilState(records, app, 'ready', next)
    expect(await stepsNow(records, attempt), 'line by line').to.deep.equal(before)
    expect(await historyOf(app)).to.deep.equal([attempt, next])
  })

  it('makes no log object where the copies came up at once', async () => {
    const app = await createApp(records, project, { replicas: 0 })
    const attempt = attemptIn(await deploy(records, app))
    await untilState(records, app, 'ready', attempt)
    expect(await readAttemptLog(records.client, attempt)).to.equal(undefined)
    expect(await stepsOf(records, attempt)).to.include('Succeeded')
  })

  it('is completed by the next worker, though no run is open and the record rests', async () => {
    const { app, attempt } = await withoutHistory()
    worker = await startMortalWorker()
    await untilState(records, app, 'ready', attempt)
    expect(await historyOf(app)).to.deep.equal([attempt])
    expect(await isWhole(attempt)).to.equal(true)
  })

  it('is kept as the next deploy begins, which replaces that attempt', async () => {
    const { app, attempt } = await withoutHistory()
    const next = attemptIn(await deploy(records, app))
    worker = await startMortalWorker()
    await untilState(records, app, 'ready', next)
    expect(await historyOf(app)).to.deep.equal([attempt, next])
    expect(await isWhole(attempt)).to.equal(true)
  })

  it('of an attempt that is retried with kubectl has both of its ends', async () => {
    const app = await createApp(records, project)
    const attempt = attemptIn(await deploy(records, app))
    const first = (await untilState(records, app, 'ready', attempt)).status?.lastAttempt
    const asked = await records.apps.edit(app.metadata.name, (current) => ({
      ...current,
      metadata: { ...current.metadata, annotations: { ...current.metadata.annotations, [annotations.retry]: 'again' } },
    }))
    await until(
      records.apps,
      app,
      (seen) =>
        asked !== undefined &&
        seen?.status?.observedIntent === viewOf(asked).intent &&
        seen.status.lastAttempt?.phase === 'Succeeded' &&
        seen.status.lastAttempt.startedAt !== first?.startedAt,
      'run again',
    )
    const steps = await stepsOf(records, attempt)
    expect(steps.match(/Succeeded: /g), steps).to.have.length(2)
    expect(steps.match(/accepted: /g), steps).to.have.length(1)
    expect(await historyOf(app)).to.deep.equal([attempt])
  })
})
