/** Waiting for a deploy over real HTTP, with a clock that only the wait advances. */
import { expect } from 'chai'
import { createClient } from '../../../client/client.ts'
import { waitForDeploy, type DeployStatus, type WaitOptions } from '../../../client/wait/deploy.ts'
import { startRecordedService, type Answer, type RecordedService } from '../recorded-service.ts'
import { attempt, pending, statusOf } from '../status.ts'

const before = statusOf({ lastAttempt: attempt('web-old', 'Succeeded') })
const done = statusOf({ lastAttempt: attempt('web-new', 'Succeeded') })
const answers = (...statuses: DeployStatus[]): Answer[] => statuses.map((json) => ({ json }))

describe('waitForDeploy', () => {
  let service: RecordedService
  let slept: number[]
  beforeEach(async () => {
    service = await startRecordedService()
    slept = []
  })
  afterEach(async () => await service.stop())

  const wait = async (options: Partial<WaitOptions> = {}) =>
    await waitForDeploy({
      client: createClient({ baseUrl: service.url, userAgent: 'svc/test' }),
      app: 'web',
      before,
      timeoutMs: 60_000,
      now: () => slept.reduce((sum, ms) => sum + ms, 0),
      sleep: async (ms) => void slept.push(ms),
      ...options,
    })

  it('reads every three seconds until the deploy is complete', async () => {
    service.on('GET /apps/web/status', ...answers(pending('web-new'), pending('web-new'), done))
    const { outcome, status, elapsedMs } = await wait()
    expect({ outcome, status, elapsedMs }).to.deep.equal({ outcome: 'complete', status: done, elapsedMs: 6000 })
    expect(slept).to.deep.equal([3000, 3000])
  })
  it('is not fooled by the ready that was there before', async () => {
    service.on('GET /apps/web/status', ...answers(before, before, pending('web-new'), done))
    expect(await wait()).to.deep.include({ outcome: 'complete', elapsedMs: 9000 })
  })
  it('ends a rollback while saved changes stay undeployed, and not with the ready before it', async () => {
    const saved = { pendingChanges: 1 }
    const [ready, rolledBack] = [
      statusOf({ ...saved, lastAttempt: attempt('web-old', 'Succeeded') }),
      statusOf({ ...saved, lastAttempt: attempt('web-new', 'Succeeded') }),
    ]
    service.on('GET /apps/web/status', ...answers(ready, pending('web-new'), rolledBack))
    expect(await wait({ before: ready, leavesPending: true })).to.deep.include({ outcome: 'complete', elapsedMs: 6000 })
    service.on('GET /apps/web/status', ...answers(rolledBack))
    expect(await wait({ before: ready })).to.include({ outcome: 'timedOut' })
  })
  it('tells a failure with its reason', async () => {
    const failed = statusOf({
      state: 'failed',
      message: 'container app keeps exiting',
      lastAttempt: attempt('web-new', 'Failed'),
    })
    service.on('GET /apps/web/status', ...answers(pending('web-new'), failed))
    expect(await wait()).to.deep.include({ outcome: 'failed', reason: 'container app keeps exiting' })
  })
  it('ends at its time limit and says what it waited for', async () => {
    service.on('GET /apps/web/status', ...answers(pending('web-new', 'no node has capacity for a copy')))
    const result = await wait({ timeoutMs: 7000 })
    expect(result).to.deep.include({ outcome: 'timedOut', reason: 'no node has capacity for a copy', elapsedMs: 7000 })
    expect(slept).to.deep.equal([3000, 3000, 1000])
  })
  it('outlives a server that is away for a moment', async () => {
    const cut: Answer = (response) => response.destroy()
    service.on(
      'GET /apps/web/status',
      cut,
      { status: 502, json: { error: 'could not load the resources', code: 'internal_error' } },
      ...answers(done),
    )
    const troubles: string[] = []
    expect(await wait({ onTrouble: (error) => void troubles.push(error.message) })).to.deep.include({
      outcome: 'complete',
    })
    expect(troubles).to.have.length(2)
    expect(troubles[1]).to.equal('could not load the resources')
  })
  it('does not judge an old status again while the server is away', async () => {
    service.on('GET /apps/web/status', ...answers(before), {
      status: 502,
      json: { error: 'away', code: 'internal_error' },
    })
    expect(await wait({ timeoutMs: 30_000 })).to.deep.include({ outcome: 'timedOut' })
  })
  it('stops at once when the service is gone', async () => {
    service.on('GET /apps/web/status', { status: 404, json: { error: 'app not found', code: 'not_found' } })
    await wait().then(
      () => expect.fail('it went on'),
      (error: Error) => expect(error.message).to.equal('app not found'),
    )
  })
})
