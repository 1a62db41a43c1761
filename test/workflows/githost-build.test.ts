/** A push of the git host, from the signed delivery to the copy that runs its commit. */
import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { pushId, pushWorkflow } from '../../durable/ids.ts'
import { standardPolicy } from '../../durable/policy.ts'
import { controlQueue } from '../../durable/queues.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { deliveryRecord } from '../../kinds/apps/git/push.ts'
import { isFinished } from '../../kinds/builds/phase.ts'
import { buildsNamespace, jobName } from '../../kinds/builds/names.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { connectTemporal, temporalSettings } from '../../temporal/client/client.ts'
import { createPushes } from '../../temporal/client/pushes.ts'
import { startTestApi, type TestApi } from '../api/test-api.ts'
import { eventually } from '../cluster/eventually.ts'
import { githubApp, type GitHubServer, startGitHub } from '../harness/github.ts'
import { createProject, deploy, type TestRecords, untilState, useRecords } from '../harness/records.ts'
import { useStack } from '../harness/stack.ts'
import { startTestWorker, testPolicy, type TestWorker, withoutWorker } from '../harness/worker.ts'
import { builderEnv, createGitApp, jobOf, playSuccess, revision, untilCleaned, untilPhase } from './build-world.ts'
import { attemptIn, liveDeployment, untilSetUp } from './service-world.ts'

const installation = 71
const pushed = 'b'.repeat(40)

describe('a push of the git host', function () {
  this.timeout(60_000)
  let records: TestRecords
  let project: Project
  let worker: TestWorker
  let api: TestApi
  let github: GitHubServer
  let temporal: ReturnType<typeof connectTemporal>
  const closes: (() => Promise<void>)[] = []

  before(async function () {
    this.timeout(180_000)
    await withoutWorker()
    const { temporalAddress, temporalNamespace } = await useStack()
    const settings = temporalSettings({
      SVC_TEMPORAL_ADDRESS: temporalAddress,
      SVC_TEMPORAL_NAMESPACE: temporalNamespace,
      SVC_POLICY: JSON.stringify(testPolicy),
    })
    temporal = connectTemporal(settings)
    closes.push(() => temporal.close())
    github = await startGitHub()
    worker = await startTestWorker({}, 'temporal/main.ts', {
      ...builderEnv,
      SVC_GITHUB_API_URL: github.url,
    })
    records = await useRecords()
    project = await createProject(records, { gitHosts: [{ environment: 'production', installation }] })
    await untilSetUp(records, project)
    const { policy, searchable } = settings
    api = await startTestApi({ pushes: createPushes({ client: temporal.client, policy, searchable }) })
    const token = await api.token({ role: 'admin' })
    await api.ask('POST', '/api/settings/githost/save', { token, form: githubApp })
  })
  after(async () => {
    await api?.stop()
    for (const close of closes) await close()
    await worker?.stop('SIGKILL')
    await github?.stop()
    const namespace = systemNamespace
    await records.client.delete({ type: resourceTypes.platformConfig, namespace, name: 'platform' })
    await records.client.delete({ type: coreTypes.secret, namespace, name: 'platform-githost' })
  })

  const buildsOf = (app: App) => records.builds.cache.list().filter(({ spec }) => spec.app === app.metadata.name)

  interface Pushed {
    repository: string
    commit: string
    branch?: string
    defaultBranch?: string
  }

  /** What the api answers to a delivery of the git host. */
  async function delivered(delivery: string, { repository, commit, branch = 'main', defaultBranch = 'main' }: Pushed) {
    const body = JSON.stringify({
      ref: `refs/heads/${branch}`,
      after: commit,
      repository: { full_name: repository, default_branch: defaultBranch },
      installation: { id: installation },
      commits: [{ added: ['a.ts'], modified: [], removed: [] }],
    })
    const headers = {
      'x-github-event': 'push',
      'x-github-delivery': delivery,
      'x-hub-signature-256': `sha256=${createHmac('sha256', githubApp.webhookSecret).update(body).digest('hex')}`,
    }
    return (await api.ask('POST', '/webhooks/githost', { raw: { body, type: 'application/json' }, headers }))
      .body as unknown
  }

  /** A service that runs the first commit of its repository. */
  async function deployed(name: string, branch: string): Promise<{ app: App; repository: string; first: string }> {
    const repository = `acme/${name}-${project.metadata.name}`
    github.repositories.set(installation, [...(github.repositories.get(installation) ?? []), repository])
    const app = await createGitApp(records, project, { repository, branch })
    const first = attemptIn(await deploy(records, app))
    await playSuccess(records, await untilPhase(records, first, 'Running'))
    await untilState(records, app, 'ready', first)
    await untilCleaned(records, first)
    return { app, repository, first }
  }

  it('is built and deployed once, however often it is delivered', async () => {
    const { app, repository, first } = await deployed('once', 'main')
    const deliver = () => delivered(`delivery-${project.metadata.name}`, { repository, commit: pushed })
    expect(await deliver()).to.deep.equal({ ok: true, outcome: 'started' })
    await eventually('a second build is there', () => buildsOf(app).length === 2, 25_000)
    const second = buildsOf(app).find(({ metadata }) => metadata.name !== first)?.metadata.name ?? ''
    expect(await deliver(), 'while it is built').to.deep.equal({ ok: true, outcome: 'started' })
    await playSuccess(records, await untilPhase(records, second, 'Running'), pushed)
    const ready = await untilState(records, app, 'ready', second)
    await untilCleaned(records, second)
    expect(await deliver(), 'after it was deployed').to.deep.equal({ ok: true, outcome: 'started' })

    expect(ready.status?.image).to.contain(`:${app.metadata.name}-${pushed.slice(0, 12)}@sha256:`)
    expect((await liveDeployment(records, app))?.spec.template.spec.containers[0]?.image).to.equal(ready.status?.image)
    const record = await records.deployments.readLive(second)
    expect(record?.spec.changeTitle).to.equal(`Push of ${pushed.slice(0, 7)} to main`)
    expect(revision.slice(0, 12)).not.to.equal(pushed.slice(0, 12))
    const deployments = records.deployments.cache.list().filter(({ spec }) => spec.app === app.metadata.name)
    expect([buildsOf(app).length, new Set(deployments.map(({ metadata }) => metadata.name)).size]).to.deep.equal([2, 3])
    expect((await records.builds.readLive(second))?.spec.trigger).to.equal('push')
  })

  it('is deployed by no later try of its delivery, also where another deploy came since', async () => {
    const { app, repository, first } = await deployed('tried', 'main')
    const delivery = `delivery-tried-${project.metadata.name}`
    await delivered(delivery, { repository, commit: pushed })
    await temporal.client.workflow.getHandle(pushId(delivery)).result()
    const second = deliveryRecord(app.metadata, delivery)
    await playSuccess(records, await untilPhase(records, second, 'Running'), pushed)
    await untilState(records, app, 'ready', second)
    const third = attemptIn(await deploy(records, app))
    await playSuccess(records, await untilPhase(records, third, 'Running'), pushed)
    await untilState(records, app, 'ready', third)
    // As a worker that died after the deploy, and before it could say so: the next try finds another deploy there.
    const push = { repository, branch: 'main', isDefaultBranch: true, commit: pushed, installation }
    const args = [{ delivery, push, policy: { ...standardPolicy, ...testPolicy }, searchable: false }]
    const again = { taskQueue: controlQueue, workflowId: `${pushId(delivery)}-again`, args }
    await temporal.client.workflow.execute(pushWorkflow, again)
    const accepted = (await records.apps.readLive(app.metadata.name)) ?? app
    expect(attemptIn(accepted)).to.equal(third)
    expect([first, second, third]).to.include.members(
      records.deployments.cache
        .list()
        .filter(({ metadata, spec }) => spec.app === app.metadata.name && !metadata.name.endsWith('-active'))
        .map(({ metadata }) => metadata.name),
    )
  })

  it('ends in one build and one deploy where 50 come within a second', async function () {
    this.timeout(120_000)
    const { app, repository } = await deployed('many', 'main')
    const before = await liveDeployment(records, app)
    const commits = Array.from({ length: 50 }, (_, n) => n.toString(16).padStart(40, 'c'))
    const ids = commits.map((_, n) => `delivery-${n}-${project.metadata.name}`)
    const answers = await Promise.all(commits.map((commit, n) => delivered(ids[n] ?? '', { repository, commit })))
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).to.deep.equal(
      new Set(['{"ok":true,"outcome":"started"}']),
    )
    await Promise.all(ids.map((id) => temporal.client.workflow.getHandle(pushId(id)).result()))
    const last = attemptIn((await records.apps.readLive(app.metadata.name)) ?? app)
    await playSuccess(records, await untilPhase(records, last, 'Running'), pushed)
    await untilState(records, app, 'ready', last)
    await untilCleaned(records, last)
    await eventually('every other build is over', () => buildsOf(app).every(isFinished), 25_000)
    const made = buildsOf(app).filter(({ status }) => status?.phase === 'Succeeded' && status.sourceRevision === pushed)
    expect(made.map(({ metadata }) => metadata.name)).to.deep.equal([last])
    const after = await liveDeployment(records, app)
    expect((after?.metadata.generation ?? 0) - (before?.metadata.generation ?? 0), 'rollouts').to.equal(1)
    const { items } = await records.client.list(coreTypes.job, { namespace: buildsNamespace })
    const names = new Set(buildsOf(app).map(jobName))
    expect(items.filter(({ metadata }) => names.has(metadata.name))).to.deep.equal([])
  })

  it('of the default branch is of whatever branch that is by now, for a service that names none', async () => {
    const { app, repository, first } = await deployed('renamed', '')
    const push = { repository, commit: pushed, defaultBranch: 'trunk' }
    await delivered(`delivery-main-${project.metadata.name}`, { ...push, branch: 'main' })
    const result: unknown = await temporal.client.workflow
      .getHandle(pushId(`delivery-main-${project.metadata.name}`))
      .result()
    expect(result, 'main is no default branch any more').to.deep.include({ deployed: [] })
    await delivered(`delivery-trunk-${project.metadata.name}`, { ...push, branch: 'trunk' })
    await eventually('a second build is there', () => buildsOf(app).length === 2, 25_000)
    const second = buildsOf(app).find(({ metadata }) => metadata.name !== first)?.metadata.name ?? ''
    const build = await untilPhase(records, second, 'Running')
    const env = (await jobOf(records, build))?.spec?.template.spec.containers[0]?.env ?? []
    expect(env.find(({ name }) => name === 'BRANCH')?.value ?? '', 'the head of the repository').to.equal('')
    await playSuccess(records, build, pushed)
    await untilState(records, app, 'ready', second)
    expect((await records.deployments.readLive(second))?.spec.changeTitle).to.equal('Push of bbbbbbb to trunk')
  })
})
