/** Services from git: built by a Job, then rolled out, as one deploy; and how a build ends that does not go well. */
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { workflowId } from '../../durable/ids.ts'
import { attemptLogName } from '../../records/store/attempt-history.ts'
import { readAttemptLog } from '../../records/deployments/read-attempt-log.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { buildsNamespace, jobName } from '../../kinds/builds/names.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { acceptBuild } from '../../records/apps/accept-build.ts'
import { acceptRollback } from '../../records/apps/accept-rollback.ts'
import { retryProvision } from '../../records/apps/retry-provision.ts'
import { cancelBuild } from '../../records/builds/cancel-build.ts'
import { newBuild } from '../../records/builds/make-build.ts'
import { eventually } from '../cluster/eventually.ts'
import {
  createProject,
  deploy,
  type TestRecords,
  until,
  untilGone,
  untilState,
  useRecords,
} from '../harness/records.ts'
import { startTestWorker, type TestWorker, withoutWorker } from '../harness/worker.ts'
import {
  builderEnv,
  createGitApp,
  digest,
  historyOf,
  type Job,
  jobOf,
  playBuild,
  playSuccess,
  revision,
  secretOf,
  untilCleaned,
  untilPhase,
} from './build-world.ts'
import { attemptIn, liveDeployment, stepsOf, untilSetUp } from './service-world.ts'

const destination = builderEnv.SVC_BUILD_REGISTRY
const asked = { actor: 'tester', requestId: 'test' }

describe('a service from git', function () {
  this.timeout(60_000)
  let records: TestRecords
  let project: Project
  let worker: TestWorker
  const workerLog: string[] = []

  before(async function () {
    this.timeout(180_000)
    await withoutWorker()
    const builder = {
      ...builderEnv,
      SVC_BUILDS_AT_ONCE: '3',
    }
    worker = await startTestWorker({}, 'temporal/main.ts', builder, (line) => void workerLog.push(line))
    records = await useRecords()
    project = await createProject(records)
    await untilSetUp(records, project)
  })

  after(() => worker.stop('SIGKILL'))

  const deployed = async (app: App): Promise<{ attempt: string; build: Build }> => {
    const attempt = attemptIn(await deploy(records, app))
    return { attempt, build: await untilPhase(records, attempt, 'Running') }
  }

  const ready = async (app: App, commit = revision): Promise<{ attempt: string; app: App }> => {
    const { attempt, build } = await deployed(app)
    await playSuccess(records, build, commit)
    return { attempt, app: await untilState(records, app, 'ready', attempt) }
  }

  it('is built and rolled out as one deploy, with the digest of its image, and leaves no Job', async () => {
    const app = await createGitApp(records, project)
    const { attempt, build } = await deployed(app)
    const waiting = await until(
      records.apps,
      app,
      (seen) => readyOf(seen?.status?.conditions)?.reason === 'Building',
      'building',
    )
    expect(waiting.status?.lastAttempt).to.include({ id: attempt, phase: 'Running' })
    expect(await liveDeployment(records, app), 'nothing runs before the image is there').to.equal(undefined)
    expect((await records.deployments.readLive(attempt))?.spec.image).to.match(/web\.git@main$/)
    await playSuccess(records, build)
    const done = await untilState(records, app, 'ready', attempt)
    const tag = `${destination}:${app.metadata.name}-${revision.slice(0, 12)}`
    expect(done.status?.image).to.equal(`${tag}@${digest}`)
    expect((await liveDeployment(records, app))?.spec.template.spec.containers[0]?.image).to.equal(`${tag}@${digest}`)
    const cleaned = await untilCleaned(records, attempt)
    expect(cleaned.status).to.include({ phase: 'Succeeded', image: tag, imageDigest: digest, sourceRevision: revision })
    expect(cleaned.status).to.include({ imageBytes: 4096, steps: 3, cachedSteps: 2, logRef: attemptLogName(attempt) })
    expect(cleaned.spec.trigger).to.equal('manual')
    expect((await readAttemptLog(records.client, attempt))?.build?.build, 'its log is kept').to.equal(attempt)
    expect([await jobOf(records, build), await secretOf(records, build)]).to.deep.equal([undefined, undefined])
    expect(await stepsOf(records, attempt)).to.match(/is sha256:\w+ \(of build/)
  })

  const failures: [what: string, ends: Parameters<typeof playBuild>[2], why: RegExp][] = [
    [
      'a repository that refuses the login',
      { clone: { exitCode: 1, message: 'the repository refuses the login, or needs one', reason: 'Error' } },
      /^the build failed: the repository refuses the login, or needs one$/,
    ],
    [
      'a step that fails',
      {
        clone: { message: JSON.stringify({ revision }) },
        build: { exitCode: 1, message: 'the build failed: exit code: 3', reason: 'Error' },
      },
      /exit code: 3$/,
    ],
    [
      'too little memory',
      { clone: { message: JSON.stringify({ revision }) }, build: { exitCode: 137, reason: 'OOMKilled' } },
      /needed more memory than it may have$/,
    ],
  ]
  for (const [what, ends, why] of failures)
    it(`ends its deploy with a sentence after ${what}, and leaves what ran before`, async () => {
      const { app } = await ready(await createGitApp(records, project))
      const before = await liveDeployment(records, app)
      const { attempt, build } = await deployed(app)
      await playBuild(records, build, ends)
      const failed = await untilState(records, app, 'failed', attempt)
      expect(failed.status?.lastAttempt?.summary).to.match(why)
      expect(readyOf(failed.status?.conditions)?.reason).to.equal('BuildFailed')
      await untilCleaned(records, attempt)
      expect((await liveDeployment(records, app))?.metadata.generation).to.equal(before?.metadata.generation)
    })

  it('takes the image of a commit that was built before, unless it is to be built again', async () => {
    const { app } = await ready(await createGitApp(records, project))
    const { attempt, build } = await deployed(app)
    expect(knownRevisionIn(await jobOf(records, build))).to.equal(revision)
    await playBuild(records, build, {
      clone: { message: JSON.stringify({ revision, reused: true }) },
      build: { message: '{}' },
    })
    expect((await untilState(records, app, 'ready', attempt)).status?.image).to.match(new RegExp(`@${digest}$`))
    expect((await untilCleaned(records, attempt)).status).to.include({ reused: true, sourceRevision: revision })
    const again = attemptIn(await acceptBuild(records, app, asked))
    expect(knownRevisionIn(await jobOf(records, await untilPhase(records, again, 'Running')))).to.equal('')
    await playSuccess(records, await untilPhase(records, again, 'Running'))
    await untilState(records, app, 'ready', again)
  })

  it('cancels a build when it is asked to, and when a newer deploy supersedes it', async () => {
    const app = await createGitApp(records, project)
    const first = await deployed(app)
    const second = await deployed(app)
    expect((await untilCleaned(records, first.attempt)).status).to.include({
      phase: 'Cancelled',
      failureReason: `superseded by ${second.attempt}`,
      logRef: attemptLogName(first.attempt),
    })
    await cancelBuild(records.builds, second.attempt)
    const failed = await untilState(records, app, 'failed', second.attempt)
    expect(failed.status?.lastAttempt?.summary).to.equal('the build was cancelled')
    await untilCleaned(records, second.attempt)
    expect([await jobOf(records, first.build), await jobOf(records, second.build)]).to.deep.equal([
      undefined,
      undefined,
    ])
    expect(await cancelBuild(records.builds, second.attempt).catch((error: Error) => error.message)).to.equal(
      'the build is finished already',
    )
  })

  it('ends a deploy whose build was cancelled before a worker made it', async () => {
    const app = await createGitApp(records, project)
    const accepted = await deploy(records, app)
    const { attempt, effectiveSpec } = viewOf(accepted)
    if (attempt === undefined || effectiveSpec === undefined) throw new Error('it is a draft')
    await cancelBuild(records.builds, attempt.record, newBuild(accepted, effectiveSpec, attempt))
    const failed = await untilState(records, app, 'failed', attempt.record)
    expect(failed.status?.lastAttempt?.summary).to.equal('the build was cancelled')
    const build = await untilCleaned(records, attempt.record)
    expect([build.status?.phase, await jobOf(records, build)]).to.deep.equal(['Cancelled', undefined])
  })

  it('is built anew by a retry', async () => {
    const app = await createGitApp(records, project)
    const { attempt, build } = await deployed(app)
    await playBuild(records, build, { clone: { exitCode: 1, message: 'git is gone', reason: 'Error' } })
    await untilState(records, app, 'failed', attempt)
    await retryProvision(records, app.metadata.name, 'tester')
    const isRetry = ({ spec, metadata }: Build) => spec.attempt === attempt && metadata.name !== attempt
    await eventually('another build', () => records.builds.cache.list().some(isRetry), 25_000)
    const other = records.builds.cache.list().find(isRetry)
    expect(other?.spec.trigger).to.equal('retry')
    await playSuccess(records, await untilPhase(records, other?.metadata.name ?? '', 'Running'))
    await untilState(records, app, 'ready', attempt)
  })

  it('keeps its image when it is rolled back, and gets the earlier number of copies', async () => {
    const { app, attempt } = await ready(await createGitApp(records, project, {}, { replicas: 2 }))
    const rolled = attemptIn(await acceptRollback(records, app, { ...asked, revision: attempt }))
    const after = await untilState(records, app, 'ready', rolled)
    expect(after.status?.image).to.equal(app.status?.image)
    expect(await records.builds.readLive(rolled), 'no build').to.equal(undefined)
  })

  it('fails at once without a registry to push to, and for what git cannot clone', async () => {
    const app = await createGitApp(records, project, { repository: 'ext::sh -c id' })
    const attempt = attemptIn(await deploy(records, app))
    const failed = await untilState(records, app, 'failed', attempt)
    expect(failed.status?.lastAttempt?.summary).to.match(/^the build failed: the repository is no owner\/name/)
  })

  it('fails when its Job is deleted by another', async () => {
    const app = await createGitApp(records, project)
    const { attempt, build } = await deployed(app)
    const { client } = records
    const job = await jobOf(records, build)
    await client.delete(
      {
        type: { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true },
        namespace: job?.metadata.namespace ?? '',
        name: jobName(build),
      },
      { propagation: 'Background' },
    )
    const failed = await untilState(records, app, 'failed', attempt)
    expect(failed.status?.lastAttempt?.summary).to.match(/the Job of the build was deleted/)
  })

  it('waits for a place, in turn with other projects, and says its position', async () => {
    const apps = await Promise.all([1, 2, 3, 4].map(() => createGitApp(records, project)))
    const attempts: string[] = []
    for (const app of apps) attempts.push(attemptIn(await deploy(records, app)))
    const isQueued = ({ status }: Build) =>
      /^waiting for other builds: position 1 in the queue$/.test(status?.message ?? '')
    await eventually(
      'one build waits',
      () =>
        attempts.some((name) => records.builds.cache.list().some((it) => it.metadata.name === name && isQueued(it))),
      25_000,
    )
    const waits = records.builds.cache.list().find((it) => attempts.includes(it.metadata.name) && isQueued(it))
    for (const name of attempts.filter((it) => it !== waits?.metadata.name))
      await playSuccess(records, await untilPhase(records, name, 'Running'))
    await playSuccess(records, await untilPhase(records, waits?.metadata.name ?? '', 'Running'))
    for (const [place, app] of apps.entries()) await untilState(records, app, 'ready', attempts[place])
  })

  it('takes its builds along when it is deleted', async () => {
    const app = await createGitApp(records, project)
    const { attempt, build } = await deployed(app)
    await records.apps.remove(app.metadata.name, app.metadata.uid ?? '')
    await untilGone(records, app)
    await until(records.builds, { metadata: { name: attempt } }, (seen) => seen === undefined, 'gone')
    expect([await jobOf(records, build), await secretOf(records, build)]).to.deep.equal([undefined, undefined])
  })

  it('keeps its logins out of histories, records, events, Jobs and logs, also when they are not taken', async () => {
    const logins = ['git-token-in-clear', 'registry-password-in-clear']
    const dockerconfig = JSON.stringify({ auths: { 'registry.example.test': { auth: logins[1] } } })
    const place = { namespace: systemNamespace, labels: { [labels.project]: project.metadata.name } }
    const make = (name: string, stringData: Record<string, string | undefined>) =>
      records.client.create(coreTypes.secret, {
        ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name, ...place } },
        stringData,
      })
    await make('git-login', { token: logins[0] })
    await make('registry-login', { '.dockerconfigjson': dockerconfig })
    const registry = { repository: 'registry.example.test/own', credentialRef: { name: 'registry-login' } }
    const spec = { build: { cache: true, registry } } as Partial<AppSpec>
    const app = await createGitApp(records, project, { connectionRef: { name: 'git-login' } }, spec)
    const { attempt, build } = await deployed(app)
    const secret = await secretOf(records, build)
    const { data = {} } = secret as { data?: Record<string, string> }
    const held = Object.values(data).map((value) => Buffer.from(value, 'base64').toString())
    for (const login of logins) expect(held.join(), 'the build has it').to.include(login)
    const during = [
      await jobOf(records, build),
      await records.client.list(coreTypes.pod, { namespace: buildsNamespace }),
    ]
    await playBuild(records, build, {
      clone: { exitCode: 1, message: 'the repository refuses the login, or needs one' },
    })
    await untilState(records, app, 'failed', attempt)
    await untilCleaned(records, attempt)
    const histories = await Promise.all([
      historyOf(workflowId('build', attempt)),
      historyOf(workflowId('app', app.metadata.name)),
    ])
    expect(Math.min(...histories.map(({ length }) => length))).to.be.greaterThan(1000)
    const after = [
      await records.client.list(coreTypes.event, {}),
      await records.builds.readLive(attempt),
      await records.apps.readLive(app.metadata.name),
      await records.deployments.readLive(attempt),
      await stepsOf(records, attempt),
    ]
    const seen = JSON.stringify([during, histories, after, workerLog])
    expect(workerLog.length).to.be.greaterThan(0)
    for (const login of logins)
      for (const form of [login, Buffer.from(login).toString('base64').replace(/=+$/, '')])
        expect(seen).not.to.include(form)
  })
})

/** The cluster leaves an empty value out. */
function knownRevisionIn(job: Job | undefined): string | undefined {
  const found = job?.spec?.template.spec.containers[0]?.env.find(({ name }) => name === 'KNOWN_REVISION')
  return found === undefined ? undefined : (found.value ?? '')
}
