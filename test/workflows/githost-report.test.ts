/** What the git host receives of a deploy: a status of the commit and a deployment, each once, whatever dies. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { report } from '../../activities/githost/report.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { createGitHost } from '../../outside/githost/githost.ts'
import { gitHostSettings } from '../../outside/githost/addresses.ts'
import { eventually } from '../cluster/eventually.ts'
import { deploy, untilState } from '../harness/records.ts'
import { startTestWorker, type TestWorker } from '../harness/worker.ts'
import { createGitApp, playBuild, playSuccess, untilCleaned, untilPhase } from './build-world.ts'
import { type GitHostWorld, openGitHostWorld, workerEnv } from './git-host-world.ts'
import { attemptIn } from './service-world.ts'

describe('a deploy of a commit of the git host', function () {
  this.timeout(120_000)
  let world: GitHostWorld
  let worker: TestWorker

  before(async function () {
    this.timeout(180_000)
    world = await openGitHostWorld(async (github) => {
      worker = await startTestWorker({ ciLookMs: 500 }, 'temporal/main.ts', workerEnv(github))
    })
    const token = await world.api.token({ role: 'admin' })
    const form = { dashboardURL: 'https://svc.example.test' }
    expect((await world.api.ask('POST', '/api/settings/domain/save', { token, form })).status).to.equal(200)
  })
  after(async () => {
    await world?.close()
    await worker?.stop('SIGKILL')
  })
  afterEach(() => {
    world.github.refuseWith = undefined
  })

  const commitOf = (): string => randomBytes(20).toString('hex')
  const begun = async (spec: Partial<AppSpec> = {}): Promise<{ app: App; attempt: string }> => {
    const app = await createGitApp(world.records, world.project, { repository: 'acme/web' }, spec)
    return { app, attempt: attemptIn(await deploy(world.records, app)) }
  }
  const statesOf = (commit: string) => world.github.contents.statuses.get(commit) ?? []
  const deploymentsOf = (attempt: string) =>
    world.github.contents.deployments.filter(({ payload }) => payload.svc === attempt)
  const newestOf = (attempt: string) => deploymentsOf(attempt)[0]?.statuses[0]?.state
  const untilReported = (attempt: string, state: string): Promise<void> =>
    eventually(`the git host has the state ${state}`, () => newestOf(attempt) === state, 50_000)

  it('gets the status when its commit is known and when it is ready, with the address, each once', async () => {
    const { records, github } = world
    const commit = commitOf()
    github.contents.heads.set('main', commit)
    const host = `h${commit.slice(0, 8)}.example.test`
    const git = { repository: 'acme/web', branch: 'main', waitForCI: true }
    const ingress = { host, path: '/', tlsEnabled: false, dnsVerification: false, rules: [] }
    const { app, attempt } = await begun({ source: { git }, ingress } as unknown as Partial<AppSpec>)
    await untilReported(attempt, 'in_progress')
    const name = app.metadata.name
    const logUrl = `https://svc.example.test/services/${name}`
    const pending = { context: `svc/${name}`, state: 'pending', description: 'The deploy goes on', target_url: logUrl }
    expect(statesOf(commit)).to.deep.equal([pending])
    github.contents.checkRuns.set(commit, [{ name: 'lint', status: 'completed', conclusion: 'success' }])
    await playSuccess(records, await untilPhase(records, attempt, 'Running'), commit)
    await untilState(records, app, 'ready', attempt)
    await untilReported(attempt, 'success')
    expect(statesOf(commit)).to.deep.equal([{ ...pending, state: 'success', description: 'Deployed' }, pending])
    const [deployment, ...others] = deploymentsOf(attempt)
    expect(others).to.deep.equal([])
    expect(deployment).to.deep.include({ sha: commit, environment: `production/${name}`, production_environment: true })
    expect(deployment?.statuses.map(({ state, environment_url: url }) => [state, url])).to.deep.equal([
      ['success', `http://${host}`],
      ['in_progress', undefined],
    ])
    await untilCleaned(records, attempt)
    expect((await records.builds.readLive(attempt))?.status?.ciState, 'own statuses are no checks').to.equal('success')
  })

  it('gets the status failure without a reason, since everyone who sees the repository reads it', async () => {
    const { records } = world
    const { app, attempt } = await begun()
    const commit = commitOf()
    await playBuild(records, await untilPhase(records, attempt, 'Running'), {
      clone: { message: JSON.stringify({ revision: commit }) },
      build: { exitCode: 1, message: 'the secret plan does not compile', reason: 'Error' },
    })
    await untilState(records, app, 'failed', attempt)
    await untilReported(attempt, 'failure')
    expect(statesOf(commit)[0]).to.deep.include({ state: 'failure', description: 'The deploy failed' })
    expect(JSON.stringify([statesOf(commit), deploymentsOf(attempt)])).not.to.include('secret plan')
    await untilCleaned(records, attempt)
  })

  it('gets the status once the git host is back, also from a worker that is started after the one that deployed', async () => {
    const { records, github } = world
    const { app, attempt } = await begun()
    const build = await untilPhase(records, attempt, 'Running')
    github.refuseWith = 503
    const commit = commitOf()
    await playSuccess(records, build, commit)
    await untilState(records, app, 'ready', attempt)
    await worker.stop('SIGKILL')
    github.refuseWith = undefined
    worker = await startTestWorker({}, 'temporal/main.ts', workerEnv(github))
    await untilReported(attempt, 'success')
    expect(statesOf(commit).map(({ state }) => state)).to.include('success')
    expect(deploymentsOf(attempt)).to.have.length(1)
    await untilCleaned(records, attempt)
  })

  it('gets no status twice from a worker that died after its call, and no old one from a late worker', async () => {
    const { records, github, project } = world
    const { app, attempt } = await begun()
    const commit = commitOf()
    await playSuccess(records, await untilPhase(records, attempt, 'Running'), commit)
    await untilState(records, app, 'ready', attempt)
    await untilReported(attempt, 'success')
    const gitHost = createGitHost(gitHostSettings({ SVC_GITHUB_URL: github.url, SVC_GITHUB_API_URL: github.url }))
    const { name } = app.metadata
    const place = { app: name, project: project.metadata.name, environment: 'production' }
    const ref = { ...place, record: attempt, build: attempt, repository: 'acme/web', commit }
    const before = [statesOf(commit).length, deploymentsOf(attempt)[0]?.statuses.length]
    const again = report({ ...records, gitHost })
    expect(await again(ref)).to.deep.equal({ outcome: 'reported', message: 'Deployed' })
    expect([statesOf(commit).length, deploymentsOf(attempt)[0]?.statuses.length]).to.deep.equal(before)

    const next = attemptIn(await deploy(records, app))
    await eventually(
      'the next deploy has begun',
      async () => {
        const live = await records.apps.readLive(name)
        return live?.status?.lastAttempt?.id === next && viewOf(live).attemptGoesOn
      },
      20_000,
    )
    expect((await again(ref)).message).to.equal('This deploy is not the current one')
    expect(newestOf(attempt)).to.equal('inactive')
    await playSuccess(records, await untilPhase(records, next, 'Running'), commitOf())
    await untilState(records, app, 'ready', next)
    await untilCleaned(records, next)
  })

  it('gets none where the environment is not connected any more, or the git host refuses', async () => {
    const { records, github, project } = world
    const gitHost = createGitHost(gitHostSettings({ SVC_GITHUB_URL: github.url, SVC_GITHUB_API_URL: github.url }))
    const sendReport = report({ ...records, gitHost })
    const place = { app: 'none', project: project.metadata.name, environment: 'production' }
    const ref = { ...place, record: 'none', build: 'none', repository: 'acme/web', commit: commitOf() }
    expect((await sendReport({ ...ref, environment: 'other' })).outcome).to.equal('withdrawn')
    expect((await sendReport({ ...ref, repository: 'acme/not-given' })).outcome).to.equal('refused')
    github.refuseWith = 502
    expect(await sendReport(ref).catch((error: Error) => error.message)).to.match(/^502/)
  })
})
