/**
 * Workers that die while events are to be delivered to webhooks: every event of every deploy is delivered all the same,
 * and no other.
 */
import { expect } from 'chai'
import type { Project } from '../../kinds/projects/kind.ts'
import { createApp, createProject, deploy, wakeWith, type TestRecords, useRecords } from '../harness/records.ts'
import { testPolicy, withoutWorker } from '../harness/worker.ts'
import { dieAt, killPolicy, startMortalWorker } from '../kill/enumerated.ts'
import type { MortalProcess } from '../kill/mortal-process.ts'
import { pointsOf } from '../kill/write-points.ts'
import { deliver, endOf, received, type Hook, hookOf, noticeOf, untilReceived } from './delivery-world.ts'
import { attemptIn, untilSetUp } from './service-world.ts'

const first = 'a first deploy'
const superseding = 'a deploy that supersedes one that waits for its image'
const failing = 'a deploy whose copies keep exiting'
const accepted = '"phase":"Running"'
const succeeded = '"phase":"Succeeded"'
const failed = '"phase":"Failed"'

describe('a worker that dies while it sends webhooks', function () {
  this.timeout(180_000)
  let records: TestRecords
  let project: Project
  let worker: MortalProcess
  let hook: Hook

  before(async () => {
    records = await useRecords()
    await withoutWorker()
    // A worker takes seconds to restart; the attempt of the dead worker must not time out meanwhile.
    wakeWith(killPolicy)
    worker = await startMortalWorker()
    project = await createProject(records)
    await untilSetUp(records, project)
    hook = await hookOf(records, project)
  })
  after(async () => {
    wakeWith(testPolicy)
    await worker.kill()
  })

  /** The events of an attempt that the receiver got, each message once, without repetitions. */
  const receivedOf = (record: string) => {
    const messages = received(hook).filter(({ data }) => data.deployment['id'] === record)
    return [...new Map(messages.map(({ id, type }) => [id, type])).values()].toSorted()
  }

  // The writes of the status that decide which events are sent.
  const points = pointsOf(
    [
      [first, 'after', accepted],
      [first, 'before', succeeded],
      [first, 'after', succeeded],
      [superseding, 'before', accepted],
      [superseding, 'after', accepted],
      [failing, 'after', failed],
    ] as const,
    [
      [first, 'before', accepted],
      [superseding, 'after', succeeded],
    ] as const,
  )
  for (const [scenario, when, holding] of points) {
    it(`${when} it wrote ${holding} of ${scenario}, leaves every event to be delivered once`, async () => {
      const { died, expected, ...end } = await dieAt({ scenario, when, write: 1, holding }, records, project, worker)
      worker = end.worker
      expect(died, 'the worker died').to.equal(true)
      const attempts = expected?.attempts ?? []
      expect(attempts).to.have.length(scenario === superseding ? 2 : 1)
      for (const record of attempts) {
        const isReady = record === attempts.at(-1) && expected?.state === 'ready'
        const events = [isReady ? 'deployment.succeeded' : 'deployment.failed', 'deployment.started']
        await untilReceived(hook, record, events)
        expect(receivedOf(record), record).to.deep.equal(events.toSorted())
      }
    })
  }

  it('before it accepted two deploys has the first reported as failed, since the second superseded it', async () => {
    await worker.kill()
    const app = await createApp(records, project)
    const [superseded, last] = [attemptIn(await deploy(records, app)), attemptIn(await deploy(records, app))]
    worker = await startMortalWorker()
    await untilReceived(hook, last, ['deployment.started', 'deployment.succeeded'])
    await untilReceived(hook, superseded, ['deployment.failed'])
    expect(receivedOf(superseded)).to.deep.equal(['deployment.failed'])
    expect(receivedOf(last)).to.deep.equal(['deployment.started', 'deployment.succeeded'])
  })

  it('after the receiver took a message and before it was noted repeats it, under the same id', async () => {
    const own = await hookOf(records, project, { events: ['deployment.succeeded'] })
    const notice = noticeOf(project, 'app-half-told')
    own.receiver.answer((response) => {
      if (own.receiver.received.length === 1) void worker.kill()
      else response.writeHead(200).end()
    })
    await deliver(own, notice)
    await worker.gone
    worker = await startMortalWorker()
    expect(await endOf(own, notice.deployment.id, notice.event)).to.equal('the receiver answered 200')
    expect(own.receiver.received).to.have.length(2)
    expect(new Set(own.receiver.received.map(({ id, body }) => `${id} ${body}`)).size).to.equal(1)
  })
})
