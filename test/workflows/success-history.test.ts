/**
 * The history of a deploy that succeeded is written after its status: a worker that dies in between leaves it to
 * others.
 */
import { expect } from 'chai'
import { workflowId } from '../../durable/ids.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { readAttemptLog } from '../../records/deployments/read-attempt-log.ts'
import { eventually } from '../cluster/eventually.ts'
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
import { useClient } from './delivery-world.ts'
import { testPolicy, withoutWorker } from '../harness/worker.ts'
import { killPolicy, startMortalWorker } from '../kill/enumerated.ts'
import type { MortalProcess } from '../kill/mortal-process.ts'
import { attemptIn, stepsOf, untilSetUp } from './service-world.ts'

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
  const withoutHistory = async (): Promise<{ app: App; attempt: string }> => {
    const app = await createApp(records, project)
    worker.arm({ when: 'after', write: 1, about: app.metadata.name, holding: '"phase":"Succeeded"' })
    const attempt = attemptIn(await deploy(records, app))
    await worker.gone
    await ended(app, attempt)
    // A line of how its copies started is there where they took longer than the pass.
    const { steps = [] } = (await readAttemptLog(records.client, attempt)) ?? {}
    expect(steps.join('\n')).not.to.contain('Succeeded')
    const { workflow } = await useClient()
    await workflow.getHandle(workflowId('app', app.metadata.name)).terminate('by a test')
    return { app, attempt }
  }

  const isWhole = async (attempt: string): Promise<boolean> =>
    /accepted: .* \(deploy by .+\)\n[^]*Succeeded: 1 of 1 copies ready$/.test(await stepsOf(records, attempt))

  it('is written by the next worker, though no run is open and the record rests', async () => {
    const { app, attempt } = await withoutHistory()
    worker = await startMortalWorker()
    await untilState(records, app, 'ready', attempt)
    await eventually('its history is whole', () => isWhole(attempt))
  })

  it('is written before the next deploy begins, which replaces that attempt', async () => {
    const { app, attempt } = await withoutHistory()
    const next = attemptIn(await deploy(records, app))
    worker = await startMortalWorker()
    await untilState(records, app, 'ready', next)
    await eventually('the history of the first is whole', () => isWhole(attempt))
  })
})
