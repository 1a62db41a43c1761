/** What the api says of workflow runs: the list with its filters and pages, and the steps of one. */
import { expect } from 'chai'
import { startTestApi, type TestApi } from './test-api.ts'
import { eventually } from '../cluster/eventually.ts'
import { createApp, deploy, type TestRecords, untilState } from '../harness/records.ts'
import { useClient } from '../harness/temporal-client.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { reconciledKinds } from '../../kinds/meta/resource-types.ts'
import { deliveryId, pullRequestId, pushId, scheduleId, workflowId } from '../../durable/ids.ts'
import { createRuns } from '../../temporal/client/runs.ts'
import { temporalSettings } from '../../temporal/client/client.ts'
import { runKinds } from '../../contract/runs/words.ts'
import type { View } from '../../contract/operations.ts'
import { attemptIn, openWorld } from '../workflows/service-world.ts'

type Run = View<'runs.list'>['items'][number]

describe('runs', function () {
  this.timeout(60_000)
  let records: TestRecords
  let project: Project
  let api: TestApi
  let token: string
  let ready: App
  let failed: App

  const list = async (query: Record<string, string>): Promise<View<'runs.list'>> => {
    const answer = await api.ask('GET', `/api/v1/runs?${new URLSearchParams(query).toString()}`, { token })
    expect(answer.status, answer.text).to.equal(200)
    return answer.body
  }
  /** Lists of runs lag a little. */
  const listed = async (query: Record<string, string>, isThere: (items: readonly Run[]) => boolean): Promise<Run[]> => {
    let items: readonly Run[] = []
    await eventually('the runs are listed', async () => isThere(({ items } = await list(query)).items), 20_000)
    return [...items]
  }
  const read = async (id: string): Promise<View<'runs.get'>> => {
    const answer = await api.ask('GET', `/api/runs/${id}`, { token })
    expect(answer.status, answer.text).to.equal(200)
    return answer.body
  }
  const ofApp = (app: App, more: Record<string, string> = {}) => ({ kind: 'app', resource: app.metadata.name, ...more })

  before(async function () {
    this.timeout(120_000)
    ;({ records, project } = await openWorld())
    api = await startTestApi()
    token = await api.token({ role: 'observer' })
    ready = await createApp(records, project)
    await untilState(records, ready, 'ready', attemptIn(await deploy(records, ready)))
    failed = await createApp(records, project, { source: { image: { image: 'does-not-exist:1' } } })
    await untilState(records, failed, 'failed', attemptIn(await deploy(records, failed)))
  })
  after(async () => {
    await api?.stop()
  })

  it('GET /runs: one of a deploy says who asked, for what, and how it ended', async () => {
    const [run] = await listed(ofApp(ready, { outcome: 'ended' }), (items) => items.length > 0)
    expect(run).to.include({
      workflow: workflowId('app', ready.metadata.name),
      kind: 'app',
      resource: ready.metadata.name,
      project: project.metadata.name,
      environment: 'production',
      action: 'deploy',
      actor: 'tester',
      outcome: 'ended',
    })
    expect(Date.parse(run?.endedAt ?? '')).to.be.at.least(Date.parse(run?.startedAt ?? ''))
  })

  it('GET /runs/{run}: what it did, in order, each with its times', async () => {
    const [run] = await listed(ofApp(ready, { outcome: 'ended' }), (items) => items.length > 0)
    const { steps, shortened, failure } = await read(run?.id ?? '')
    // The watch may be as quick as the one who asked.
    expect(steps[0]?.kind).to.equal('woken')
    const lines = steps.map(({ kind, text }) => `${kind}: ${text}`)
    expect(lines).to.include.members([
      'woken: deploy requested by tester',
      'did: Read what the record asks for, and apply its release',
    ])
    // Copies that are up at once are seen with the release; what is left for the look is that all is there.
    expect(lines.at(-1)).to.be.oneOf([
      'did: Look at the copies and write how they are',
      'did: Check that what was made is still there',
    ])
    // A check of what is there already repeats what the look before it said.
    expect(steps.at(-1)?.result).to.match(/^\d of \d copies ready$/)
    for (const step of steps.filter(({ kind }) => kind !== 'woken'))
      expect(Date.parse(step.endedAt ?? ''), step.text).to.be.at.least(Date.parse(step.at))
    expect({ shortened, failure }).to.deep.equal({ shortened: false, failure: undefined })
  })

  it('has the address of its page at Temporal where SVC_TEMPORAL_PAGES says where those are', async () => {
    const [run] = await listed(ofApp(ready, { outcome: 'ended' }), (items) => items.length > 0)
    expect(await read(run?.id ?? '')).not.to.have.property('page')
    const client = await useClient()
    const { pages } = temporalSettings({ SVC_TEMPORAL_PAGES: 'https://temporal.example.test/' })
    const { page } = await createRuns({ client, searchable: true, pages }).get(run?.id ?? '')
    const workflow = encodeURIComponent(workflowId('app', ready.metadata.name))
    const place = `namespaces/${client.options.namespace}/workflows/${workflow}/${run?.id}/history`
    expect(page).to.equal(`https://temporal.example.test/${place}`)
    const wrong = () => temporalSettings({ SVC_TEMPORAL_PAGES: 'javascript:alert(1)' })
    expect(wrong).to.throw('SVC_TEMPORAL_PAGES must be an http or https address')
  })

  it('a run that failed says why, and what it waited for until then', async () => {
    const [run] = await listed(ofApp(failed, { outcome: 'failed' }), (items) => items.length > 0)
    const { steps, failure } = await read(run?.id ?? '')
    expect(failure).to.match(/image cannot be pulled/)
    const waits = steps.filter(({ kind }) => kind === 'waited')
    expect(waits.map(({ text }) => text).join()).to.match(/image cannot be pulled/)
    for (const wait of waits) expect(Date.parse(wait.endedAt ?? ''), wait.text).to.be.at.least(Date.parse(wait.at))
  })

  it('an open run shows what it waits for, without an end', async () => {
    const image = `does-not-exist-${'x'.repeat(200)}:2`
    const app = await createApp(records, project, { source: { image: { image } } })
    await deploy(records, app)
    const [run] = await listed(ofApp(app, { outcome: 'running' }), (items) => items.length > 0)
    expect(run?.endedAt).to.equal(undefined)
    await eventually(
      'the wait is shown',
      async () => {
        const { steps } = await read(run?.id ?? '')
        const last = steps.at(-1)
        const isIt = last?.kind === 'waited' && last.endedAt === undefined && last.text.includes('cannot be pulled')
        if (isIt) expect(last.text, 'a text that is too long is cut with a mark').to.match(/xxx …$/)
        return isIt
      },
      30_000,
    )
  })

  it('a run that was terminated at Temporal is shown as stopped, with the reason', async () => {
    const app = await createApp(records, project, { source: { image: { image: 'does-not-exist:3' } } })
    await deploy(records, app)
    const [open] = await listed(ofApp(app), (items) => items.length > 0)
    const { workflow } = await useClient()
    await workflow.getHandle(open?.workflow ?? '', open?.id).terminate('the operator said so')
    const [run] = await listed(ofApp(app, { outcome: 'stopped' }), (items) => items.length > 0)
    expect(run?.id).to.equal(open?.id)
    expect((await read(run?.id ?? '')).failure).to.equal('terminated: the operator said so')
  })

  it('are found by project, environment and actor, and by nothing that only looks like a query', async () => {
    const there = { project: project.metadata.name, environment: 'production', actor: 'tester' }
    const names = (await listed(there, (items) => items.length >= 2)).map(({ resource }) => resource)
    expect(names).to.include.members([ready.metadata.name, failed.metadata.name])
    for (const actor of ['" OR SvcActor != "', String.raw`\" OR SvcActor != \"`, "' OR 1=1 --"])
      expect((await list({ ...there, actor })).items, actor).to.deep.equal([])
  })

  it('come in pages that a cursor joins, without the resync and without a run twice', async () => {
    const all = await listed({ project: project.metadata.name, limit: '200' }, (items) => items.length >= 3)
    const ids: string[] = []
    let cursor = ''
    do {
      const page = await list({ project: project.metadata.name, limit: '1', cursor })
      ids.push(...page.items.map(({ id }) => id))
      cursor = page.cursor
    } while (cursor !== '')
    expect(new Set(ids).size).to.equal(ids.length)
    expect(ids).to.include.members(all.filter(({ outcome }) => outcome !== 'running').map(({ id }) => id))
    expect((await list({})).items.filter(({ workflow }) => workflow.startsWith('resync'))).to.deep.equal([])
  })

  it('one that is not there is not found; what cannot be one, and a cursor that is none, are refused', async () => {
    const none = await api.ask('GET', '/api/v1/runs/00000000-0000-4000-8000-000000000000', { token })
    expect([none.status, none.body.error]).to.deep.equal([404, 'run not found'])
    const wrong = await api.ask('GET', '/api/v1/runs/app%2Fweb', { token })
    expect([wrong.status, wrong.body.error]).to.deep.equal([400, 'run must be the ID of a run'])
    const cursor = await api.ask('GET', '/api/v1/runs?cursor=bm9uc2Vuc2U', { token })
    expect([cursor.status, cursor.body.error]).to.deep.equal([400, 'cursor must be that of the page before'])
  })

  it('the kinds are what the workflow IDs begin with', () => {
    const others = [pushId('x'), pullRequestId('x'), scheduleId('a', 'b'), deliveryId('a', 'b', 'c')].map((id) =>
      id.slice(0, id.indexOf('/')),
    )
    const ids = [...Object.values(reconciledKinds).map(({ id }) => id), ...others]
    expect([...runKinds].toSorted()).to.deep.equal(ids.toSorted())
  })
})
