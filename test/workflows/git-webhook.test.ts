/** A push of another git server, from the delivery to the copy that runs the head of the branch. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { ActivityNeeds } from '../../activities/context/needs.ts'
import { deployGitPushed } from '../../activities/githost/git-pushed.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { gitPushId } from '../../durable/ids.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { gitWebhookSecretName } from '../../kinds/apps/names.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { rotateGitWebhookSecret } from '../../records/secrets/git-webhook-secret.ts'
import { connectTemporal, type TemporalClient, temporalSettings } from '../../temporal/client/client.ts'
import { createPushes } from '../../temporal/client/pushes.ts'
import { type Answer, startTestApi, type TestApi } from '../api/test-api.ts'
import { eventually } from '../cluster/eventually.ts'
import { deliveryHeaders, type GitServer, pushBody, pushedCommit } from '../harness/git-deliveries.ts'
import { createProject, deploy, type TestRecords, untilState, useRecords } from '../harness/records.ts'
import { useStack } from '../harness/stack.ts'
import { startTestWorker, testPolicy, type TestWorker, withoutWorker } from '../harness/worker.ts'
import { builderEnv, createGitApp, historyOf, playSuccess, untilCleaned, untilPhase } from './build-world.ts'
import { attemptIn, untilSetUp } from './service-world.ts'

/** The head of the branch as the build finds it, which no delivery names. */
const head = 'c'.repeat(40)

describe('a push by a plain webhook', function () {
  this.timeout(90_000)
  let records: TestRecords
  let project: Project
  let worker: TestWorker
  let api: TestApi
  let temporal: TemporalClient
  const named: string[] = []

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
    worker = await startTestWorker({}, 'temporal/main.ts', {
      ...builderEnv,
    })
    records = await useRecords()
    project = await createProject(records)
    await untilSetUp(records, project)
    const { policy, searchable } = settings
    api = await startTestApi({ pushes: createPushes({ client: temporal.client, policy, searchable }) })
  })
  after(async () => {
    await api?.stop()
    await temporal?.close()
    await worker?.stop('SIGKILL')
    for (const name of named)
      await records.client.delete({
        type: coreTypes.secret,
        namespace: systemNamespace,
        name: gitWebhookSecretName(name),
      })
  })

  const buildsOf = ({ metadata }: App) => records.builds.cache.list().filter(({ spec }) => spec.app === metadata.name)
  const secretOf = async (app: App): Promise<string> => {
    const { name } = app.metadata
    named.push(name)
    await eventually('the api knows it', () => api.needs.caches.apps.get(name, systemNamespace) !== undefined)
    return await rotateGitWebhookSecret(records.client, app)
  }
  /** Ready with the build of an earlier head. */
  async function ready(git: Parameters<typeof createGitApp>[2] = {}): Promise<{ app: App; secret: string }> {
    const app = await createGitApp(records, project, git)
    const first = attemptIn(await deploy(records, app))
    await playSuccess(records, await untilPhase(records, first, 'Running'))
    await untilState(records, app, 'ready', first)
    await untilCleaned(records, first)
    return { app, secret: await secretOf(app) }
  }
  const deliver = (
    server: GitServer,
    { metadata: { name } }: App,
    secret: string,
    { delivery = randomUUID(), more = {} }: { delivery?: string; more?: object } = {},
  ): Promise<Answer> => {
    const body = JSON.stringify(pushBody(server, more))
    const headers = deliveryHeaders(server, { body, secret, delivery })
    return api.ask('POST', `/webhooks/git/${name}`, { raw: { body, type: 'application/json' }, headers })
  }
  const resultOf = async ({ metadata: { name } }: App, delivery: string): Promise<unknown> =>
    await temporal.client.workflow.getHandle(gitPushId(name, delivery)).result()
  const ignored = (message: string) => ({ outcome: 'ignored', message })

  for (const server of ['gitea', 'gitlab'] as const)
    it(`of ${server} builds and deploys the head of the service's own repository once, however often it comes`, async () => {
      const { app, secret } = await ready()
      const delivery = randomUUID()
      const once = { delivery, more: { repository: { full_name: 'evil/web', default_branch: 'main' } } }
      expect((await deliver(server, app, secret, once)).body).to.deep.equal({ ok: true, outcome: 'started' })
      await eventually('a second build is there', () => buildsOf(app).length === 2, 25_000)
      expect((await deliver(server, app, secret, once)).status, 'while it is built').to.equal(202)
      const [second = ''] = buildsOf(app)
        .filter(({ status }) => status?.phase !== 'Succeeded')
        .map(({ metadata }) => metadata.name)
      const build = await untilPhase(records, second, 'Running')
      expect(build.spec).to.deep.include({ repository: 'https://git.example.test/team/web.git', revision: '' })
      await playSuccess(records, build, head)
      const deployed = await untilState(records, app, 'ready', second)
      await untilCleaned(records, second)
      expect((await deliver(server, app, secret, once)).status, 'after it was deployed').to.equal(202)
      expect(await resultOf(app, delivery)).to.deep.equal({
        outcome: 'deployed',
        message: `deploys ${app.metadata.name}`,
      })
      expect(deployed.status?.image).to.contain(head.slice(0, 12))
      expect((await records.deployments.readLive(second))?.spec.changeTitle).to.equal('Push to main')
      expect(buildsOf(app)).to.have.length(2)
      // As after a worker that died between the write and its answer.
      const push = { branch: 'main', isDefaultBranch: true, commit: pushedCommit }
      const input = { delivery, app: app.metadata.name, uid: app.metadata.uid ?? '', push }
      const needs = records as unknown as ActivityNeeds // what a push needs of them
      expect(await deployGitPushed(needs)(input)).to.deep.equal(ignored('the head is deployed already'))
      expect(await deployGitPushed(needs)({ ...input, uid: 'another' })).to.deep.equal(ignored('the service is gone'))
      expect(buildsOf(app)).to.have.length(2)
      const history = await historyOf(gitPushId(app.metadata.name, delivery))
      expect(history).not.to.include(secret)
    })

  it('is ignored for another branch, unwatched files and a commit that was built by then', async () => {
    const { app, secret } = await ready({ watchPatterns: ['api/**'] })
    const [branch, files] = [randomUUID(), randomUUID()]
    await deliver('gitea', app, secret, { delivery: branch, more: { ref: 'refs/heads/other' } })
    await deliver('gitlab', app, secret, { delivery: files })
    for (const delivery of [branch, files])
      expect(await resultOf(app, delivery)).to.deep.equal(ignored('the service does not build what was pushed'))
    const all = randomUUID()
    await deliver('gitea', app, secret, { delivery: all, more: { commits: [], total_commits: 0 } })
    expect(await resultOf(app, all), 'no list of files').to.deep.include({ outcome: 'deployed' })
    await eventually('it is built', () => buildsOf(app).length === 2, 25_000)
    const [second = ''] = buildsOf(app)
      .filter(({ status }) => status?.phase !== 'Succeeded')
      .map(({ metadata }) => metadata.name)
    await playSuccess(records, await untilPhase(records, second, 'Running'), pushedCommit)
    await untilState(records, app, 'ready', second)
    await untilCleaned(records, second)
    const replayed = randomUUID()
    await deliver('gitea', app, secret, { delivery: replayed, more: { commits: [], total_commits: 0 } })
    expect(await resultOf(app, replayed)).to.deep.equal(ignored('the head is deployed already'))
    expect(buildsOf(app)).to.have.length(2)
  })
})
