/** The time from which the deadline of an attempt counts. */
import { expect } from 'chai'
import { appState } from '../../kinds/apps/state.ts'
import { acceptDeploy } from '../../records/apps/accept-deploy.ts'
import { retryProvision } from '../../records/apps/retry-provision.ts'
import { createApp, createProject, type TestRecords, until, untilState, useRecords } from '../harness/records.ts'
import { testPolicy, useWorker, withoutWorker } from '../harness/worker.ts'

const hourMs = 3_600_000

describe('the deadline of an attempt', function () {
  this.timeout(90_000)
  let records: TestRecords

  before(async () => {
    records = await useRecords()
    await useWorker()
  })

  /** Accepts a deploy an hour ago, as if no worker had run since; its environment is not set up yet. */
  const acceptLongAgo = async (image: string) => {
    const app = await createApp(records, await createProject(records), { image })
    await acceptDeploy({ ...records, now: () => new Date(Date.now() - hourMs) }, app, {
      operation: 'deploy',
      actor: 'tester',
      requestId: 'test',
      title: 'Long ago',
    })
    return app
  }

  it('counts from when a worker took it up, however long ago it was accepted', async () => {
    await withoutWorker()
    const app = await acceptLongAgo('svc/hello:1')
    await useWorker()
    const ready = await untilState(records, app, 'ready')
    expect(ready.status?.lastAttempt?.phase).to.equal('Succeeded')
  })

  it('counts anew for a retry of an attempt that is long over', async () => {
    const app = await acceptLongAgo('svc/broken-image:1')
    const ended = (after: string) =>
      until(
        records.apps,
        app,
        (found) => found?.status?.lastAttempt?.phase === 'Failed' && (found.status.lastAttempt.startedAt ?? '') > after,
        `failed after ${after}`,
      )
    const first = await ended('')
    expect(appState(first).state).to.equal('failed')
    await retryProvision(records, app.metadata.name, 'tester')
    const second = await ended(first.status?.lastAttempt?.startedAt ?? '')
    const { startedAt = '', completedAt = '' } = second.status?.lastAttempt ?? {}
    expect(Date.parse(completedAt) - Date.parse(startedAt)).to.be.at.least(testPolicy.attemptMs - 1_000)
  })
})
