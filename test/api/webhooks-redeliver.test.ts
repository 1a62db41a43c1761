/** What a caller has delivered again: one message more, with the id and the body of before, once for each run. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { changeWebhook, deleteWebhook } from '../../records/projects/webhooks.ts'
import type { DeployNotice } from '../../kinds/projects/deploy-notice.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { startTestApi, type Answer, type TestApi } from './test-api.ts'
import { eventually } from '../cluster/eventually.ts'
import type { TestRecords } from '../harness/records.ts'
import {
  deliver,
  deliveryOf,
  endOf,
  type Hook,
  hookOf,
  noticeOf,
  received,
  untilTried,
} from '../workflows/delivery-world.ts'
import { openWorld } from '../workflows/service-world.ts'

describe('POST /api/projects/{p}/webhooks/redeliver', function () {
  this.timeout(60_000)
  let records: TestRecords
  let project: Project
  let api: TestApi
  let replica: TestApi
  let token: string

  before(async () => {
    ;({ records, project } = await openWorld())
    ;[api, replica] = await Promise.all([startTestApi(), startTestApi()])
    token = await api.token({ name: 'again', role: 'admin' })
  })
  after(() => Promise.all([api?.stop(), replica?.stop()]))

  const again = (run: string, of = project.metadata.name, at = api): Promise<Answer> =>
    at.ask('POST', `/api/v1/projects/${of}/webhooks/redeliver`, { token, json: { run } })
  const readRun = async (run: string) => (await api.ask('GET', `/api/v1/runs/${run}`, { token })).body
  /** Lists of runs, by which a delivery is found, lag a little. */
  const listed = (run: string, ...outcomes: string[]) =>
    eventually(
      `${run} is ${outcomes.join(' or ')}`,
      async () => outcomes.includes((await readRun(run)).outcome),
      20_000,
    )
  const runOf = async (hook: Hook, notice: DeployNotice): Promise<string> => {
    await eventually(
      'it begins',
      async () => (await deliveryOf(hook, notice.deployment.id, notice.event)) !== undefined,
    )
    return (await deliveryOf(hook, notice.deployment.id, notice.event))?.runId ?? ''
  }
  /** A delivery that has ended, and its run. */
  const delivered = async (hook: Hook, app: string, policy?: Record<string, number>): Promise<string> => {
    const notice = noticeOf(project, app)
    await deliver(hook, notice, policy)
    await endOf(hook, notice.deployment.id, notice.event)
    const run = await runOf(hook, notice)
    await listed(run, 'ended', 'failed')
    return run
  }

  it('sends the same message under the same id once, however often and by whichever replica it is asked for', async () => {
    const hook = await hookOf(records, project)
    const run = await delivered(hook, 'app-again')
    const answers = await Promise.all([api, replica, api, replica].map((at) => again(run, undefined, at)))
    const next: string = answers[0]?.body.run
    for (const { status, body } of answers) expect([status, body]).to.deep.equal([200, { ok: true, run: next }])
    await listed(next, 'ended')
    expect((await again(run)).body, 'after its end').to.deep.equal({ ok: true, run: next })
    const [first, second, ...more] = hook.receiver.received
    expect([second?.id, second?.body, more]).to.deep.equal([first?.id, first?.body, []])
    expect(received(hook), 'signed anew').to.have.length(2)
    const { resource, action, actor, phase, workflow } = await readRun(next)
    expect([resource, action, phase]).to.deep.equal(['app-again', 'deployment.succeeded', 'Delivered'])
    expect(actor).to.match(/^token:/)
    expect(workflow).to.equal(`webhook/${hook.id}/app-again-00000/deployment.succeeded/${run}`)
  })

  it('sends the message of the newest run once more, each time it is asked for', async () => {
    const hook = await hookOf(records, project)
    let run = await delivered(hook, 'app-twice')
    for (const times of [2, 3]) {
      run = (await again(run)).body.run
      await listed(run, 'ended')
      expect(hook.receiver.received).to.have.length(times)
    }
    expect(new Set(hook.receiver.received.map(({ id }) => id)).size).to.equal(1)
  })

  it('refuses what is being tried; what was given up is tried as long as a new event', async () => {
    const hook = await hookOf(records, project)
    hook.receiver.answer((response) => response.writeHead(500).end())
    const notice = noticeOf(project, 'app-tried')
    await deliver(hook, notice, { webhookGiveUpMs: 4_000 })
    await untilTried(hook, notice.deployment.id, notice.event, 1)
    const run = await runOf(hook, notice)
    await listed(run, 'running')
    const early = await again(run)
    expect([early.status, early.body.error]).to.deep.equal([400, 'the delivery is still being tried'])
    await listed(run, 'failed')
    const tried = hook.receiver.received.length
    const { body } = await again(run)
    await eventually('it is tried again', () => hook.receiver.received.length > tried, 20_000)
    hook.receiver.answer((response) => response.writeHead(204).end())
    await listed(body.run, 'ended')
    expect((await readRun(body.run)).phase).to.equal('Delivered')
  })

  it('is refused where the webhook would not be sent the event today', async () => {
    const hook = await hookOf(records, project)
    const run = await delivered(hook, 'app-refused')
    const { name } = project.metadata
    await changeWebhook(records, name, hook.id, { events: ['deployment.failed'] })
    expect((await again(run)).body.error).to.equal('the webhook no longer wants this event')
    await changeWebhook(records, name, hook.id, { disabled: true })
    expect((await again(run)).body.error).to.equal('the webhook is disabled')
    await deleteWebhook(records, name, hook.id)
    const gone = await again(run)
    expect([gone.status, gone.body.error]).to.deep.equal([404, 'webhook not found'])
    expect(hook.receiver.received).to.have.length(1)
  })

  it('is 404 of what is no delivery of the project', async () => {
    const hook = await hookOf(records, project)
    const run = await delivered(hook, 'app-elsewhere')
    const other: string = (await api.ask('POST', '/api/v1/projects', { token, json: {} })).body.project
    const { items } = (await api.ask('GET', '/api/v1/runs?kind=project', { token })).body
    const notFound = { error: 'delivery not found', code: 'not_found' }
    for (const [of, each] of [
      [other, run],
      [project.metadata.name, randomUUID()],
      [project.metadata.name, items[0]?.id],
    ]) {
      const { status, body } = await again(each, of)
      expect([status, body], `${each} of ${of}`).to.deep.equal([404, notFound])
    }
    expect((await again(run, 'proj-00000000')).body.error).to.equal('project not found')
    expect((await again('newest')).body.error).to.equal('run must be the ID of a run')
  })
})
