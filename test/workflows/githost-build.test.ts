/** A push of the git host, from the signed delivery to the copy that runs its commit. */
import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { connectTemporal, temporalSettings } from '../../temporal/client/client.ts'
import { createPushes } from '../../temporal/client/pushes.ts'
import { startTestApi, type TestApi } from '../api/test-api.ts'
import { eventually } from '../cluster/eventually.ts'
import { githubApp, type GitHubServer, startGitHub } from '../harness/github.ts'
import { createProject, deploy, type TestRecords, untilState, useRecords } from '../harness/records.ts'
import { useStack } from '../harness/stack.ts'
import { startTestWorker, testPolicy, type TestWorker, withoutWorker } from '../harness/worker.ts'
import { builderEnv, createGitApp, playSuccess, revision, untilCleaned, untilPhase } from './build-world.ts'
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
    const temporal = connectTemporal(settings)
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

  it('is built and deployed once, however often it is delivered', async () => {
    const repository = `acme/${project.metadata.name}`
    github.repositories.set(installation, [repository])
    const app = await createGitApp(records, project, { repository })
    const first = attemptIn(await deploy(records, app))
    await playSuccess(records, await untilPhase(records, first, 'Running'))
    await untilState(records, app, 'ready', first)
    await untilCleaned(records, first)

    const body = JSON.stringify({
      ref: 'refs/heads/main',
      after: pushed,
      repository: { full_name: repository, default_branch: 'main' },
      installation: { id: installation },
      commits: [{ added: ['a.ts'], modified: [], removed: [] }],
    })
    const headers = {
      'x-github-event': 'push',
      'x-github-delivery': `delivery-${project.metadata.name}`,
      'x-hub-signature-256': `sha256=${createHmac('sha256', githubApp.webhookSecret).update(body).digest('hex')}`,
    }
    const deliver = async (): Promise<unknown> =>
      (await api.ask('POST', '/webhooks/githost', { raw: { body, type: 'application/json' }, headers })).body
    expect(await deliver()).to.deep.equal({ ok: true, outcome: 'started' })
    const buildsOf = () => records.builds.cache.list().filter(({ spec }) => spec.app === app.metadata.name)
    await eventually('a second build is there', () => buildsOf().length === 2, 25_000)
    const second = buildsOf().find(({ metadata }) => metadata.name !== first)?.metadata.name ?? ''
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
    expect([buildsOf().length, new Set(deployments.map(({ metadata }) => metadata.name)).size]).to.deep.equal([2, 3])
  })
})
