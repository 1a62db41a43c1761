/**
 * Late writes of a slow api and a slow worker for a deploy, after the deletion of its service has removed its history.
 */
import { expect } from 'chai'
import { appendAttemptLog, attemptLogName } from '../../records/store/attempt-history.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { recordDeploy } from '../../records/store/record-deploy.ts'
import { eventually } from '../cluster/eventually.ts'
import {
  createApp,
  createProject,
  deploy,
  type TestRecords,
  untilGone,
  untilState,
  useRecords,
} from '../harness/records.ts'
import { resyncUntil } from '../harness/resync.ts'
import { startTestWorker, type TestWorker, withoutWorker } from '../harness/worker.ts'
import { untilSetUp } from './service-world.ts'

describe('history that is written too late', function () {
  this.timeout(90_000)
  let records: TestRecords
  let project: Project
  let worker: TestWorker

  before(async () => {
    records = await useRecords()
    await withoutWorker()
    worker = await startTestWorker({ sweepMs: 1 })
    project = await createProject(records)
    await untilSetUp(records, project)
  })
  after(() => worker.stop())

  const logLine = (app: App, record: string, text: string) =>
    appendAttemptLog(records, viewOf(app), record, [{ at: viewOf(app).attempt?.at ?? '', text }])
  const running = async (): Promise<{ app: App; record: string }> => {
    const accepted = await deploy(records, await createApp(records, project))
    const record = viewOf(accepted).attempt?.record ?? ''
    const app = await untilState(records, accepted, 'ready', record)
    // As a wait for a host or a pull leaves it: a deploy with nothing to say but its success has no log object.
    await logLine(app, record, 'waiting')
    expect(await logOf(record)).to.not.equal(undefined)
    return { app, record }
  }
  const logOf = (record: string) =>
    records.client.get({ type: coreTypes.configMap, namespace: systemNamespace, name: attemptLogName(record) })

  it('is swept by the resync, and that of services that are there stays', async () => {
    const [gone, there] = [await running(), await running()]
    await records.apps.remove(gone.app.metadata.name, gone.app.metadata.uid ?? '')
    await untilGone(records, gone.app)
    expect([await records.deployments.readLive(gone.record), await logOf(gone.record)]).to.deep.equal([
      undefined,
      undefined,
    ])
    const attempt = viewOf(gone.app).attempt ?? expect.fail('no attempt')
    await eventually(
      'memory has forgotten it',
      () => records.deployments.cache.get(gone.record, systemNamespace) === undefined,
    )
    await recordDeploy(records.deployments, gone.app, attempt, gone.app.spec)
    await logLine(gone.app, gone.record, 'written too late')
    expect([await records.deployments.readLive(gone.record), await logOf(gone.record)]).to.not.include(undefined)
    await resyncUntil(
      'swept',
      async () =>
        (await records.deployments.readLive(gone.record)) === undefined && (await logOf(gone.record)) === undefined,
    )
    expect([await records.deployments.readLive(there.record), await logOf(there.record)]).to.not.include(undefined)
  })
})
