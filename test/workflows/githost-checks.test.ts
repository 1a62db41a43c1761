/** A build that waits for the checks of its commit: it starts when they have passed, and ends when they do not. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { AppSpec } from '../../kinds/apps/kind.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { readAttemptLog } from '../../records/deployments/read-attempt-log.ts'
import { cancelBuild } from '../../records/builds/cancel-build.ts'
import { eventually } from '../cluster/eventually.ts'
import type { CheckRun } from '../harness/github-repository.ts'
import { createProject, deploy, until, untilState, useWakes } from '../harness/records.ts'
import { startTestWorker, type TestWorker } from '../harness/worker.ts'
import { createGitApp, jobOf, playSuccess, untilCleaned, untilPhase } from './build-world.ts'
import { type GitHostWorld, openGitHostWorld, workerEnv } from './git-host-world.ts'
import { attemptIn, untilSetUp } from './service-world.ts'

const policy = { ciLookMs: 400, ciMissingMs: 6_000, ciEndMs: 8_000 }
const run = (name: string, status: string, conclusion: string | null = null): CheckRun => ({
  name,
  status,
  conclusion,
  html_url: `https://github.test/runs/${name}`,
})

describe('a build that waits for the checks of its commit', function () {
  this.timeout(60_000)
  let world: GitHostWorld
  let worker: TestWorker
  const start = async (): Promise<void> => {
    worker = await startTestWorker(policy, 'temporal/main.ts', workerEnv(world.github))
  }

  before(async function () {
    this.timeout(180_000)
    world = await openGitHostWorld(async (github) => {
      worker = await startTestWorker(policy, 'temporal/main.ts', workerEnv(github))
    })
  })
  after(async () => {
    await world?.close()
    await worker?.stop('SIGKILL')
  })
  afterEach(() => {
    world.github.refuseWith = undefined
  })

  /** A deploy of a commit that nothing is known of. */
  async function begun(more: Partial<NonNullable<AppSpec['source']['git']>> = {}, project = world.project) {
    const commit = randomBytes(20).toString('hex')
    world.github.contents.heads.set('main', commit)
    const app = await createGitApp(world.records, project, { repository: 'acme/web', waitForCI: true, ...more })
    const attempt = attemptIn(await deploy(world.records, app))
    return { app, attempt, commit }
  }
  const untilBuild = (attempt: string, wanted: (build: Build) => boolean, what: string): Promise<Build> =>
    until(world.records.builds, { metadata: { name: attempt } }, (build) => build !== undefined && wanted(build), what)
  const says = (attempt: string, message: string): Promise<Build> =>
    untilBuild(attempt, ({ status }) => status?.message === message, message)

  it('starts once they have passed, builds that very commit, and keeps what they said in its log', async () => {
    const { records, github } = world
    const { app, attempt, commit } = await begun()
    const first = await says(attempt, `waiting for the git host to report checks of commit ${commit.slice(0, 7)}`)
    expect(first.status).to.include({ phase: 'WaitingForCI', ciState: 'pending', sourceRevision: commit })
    github.contents.checkRuns.set(commit, [run('lint', 'completed', 'success'), run('unit', 'in_progress')])
    github.contents.statuses.set(commit, [{ context: 'svc/web', state: 'pending' }])
    const waits = `waiting for the checks of commit ${commit.slice(0, 7)}: unit`
    await says(attempt, waits)
    const message = `build ${attempt}: ${waits}`
    await until(
      records.apps,
      app,
      (seen) => seen?.status?.conditions?.some((it) => it.message === message) === true,
      message,
    )
    expect(await jobOf(records, first), 'no Job').to.equal(undefined)
    github.contents.heads.set('main', 'e'.repeat(40))
    github.contents.checkRuns.set(commit, [run('lint', 'completed', 'success'), run('unit', 'completed', 'success')])
    github.contents.statuses.set(commit, [{ context: 'ci/deploy', state: 'success' }])
    const build = await untilPhase(records, attempt, 'Running')
    const env = (await jobOf(records, build))?.spec?.template.spec.containers[0]?.env
    expect(env?.find(({ name }) => name === 'COMMIT')?.value).to.equal(commit)
    await playSuccess(records, build, commit)
    await untilState(records, app, 'ready', attempt)
    const { status } = await untilCleaned(records, attempt)
    expect(status).to.deep.include({
      ciState: 'success',
      ciChecks: [
        { name: 'ci/deploy', state: 'success' },
        { name: 'lint', state: 'success', url: 'https://github.test/runs/lint' },
        { name: 'unit', state: 'success', url: 'https://github.test/runs/unit' },
      ],
    })
    const log = await readAttemptLog(records.client, attempt)
    expect(log?.sections.find(({ id }) => id === 'ci')).to.deep.equal({
      id: 'ci',
      title: 'Checks',
      lines: [
        `commit ${commit}`,
        'success  ci/deploy',
        'success  lint  https://github.test/runs/lint',
        'success  unit  https://github.test/runs/unit',
        `the checks of commit ${commit.slice(0, 7)} have passed`,
      ],
    })
  })

  const ends: [what: string, runs: CheckRun[], state: string, why: (commit: string) => string][] = [
    [
      'fail',
      [run('lint', 'completed', 'failure'), run('unit', 'queued')],
      'failure',
      (commit) => `the checks of commit ${commit} failed: lint`,
    ],
    [
      'are cancelled',
      [run('lint', 'completed', 'cancelled')],
      'cancelled',
      (commit) => `the checks of commit ${commit} were cancelled: lint`,
    ],
    ['never come', [], 'missing', (commit) => `no check of commit ${commit} was reported within 6 s`],
    [
      'never end',
      [run('lint', 'in_progress')],
      'timed_out',
      (commit) => `the checks of commit ${commit} did not end within 8 s: lint`,
    ],
  ]
  for (const [what, runs, state, why] of ends)
    it(`fails, and its deploy with it, when they ${what}`, async () => {
      const { records, github } = world
      const { app, attempt, commit } = await begun()
      github.contents.checkRuns.set(commit, runs)
      const failed = await untilState(records, app, 'failed', attempt)
      const sentence = why(commit.slice(0, 7))
      expect(failed.status?.lastAttempt?.summary).to.equal(`the build failed: ${sentence}`)
      const { status } = await untilCleaned(records, attempt)
      expect(status).to.include({ phase: 'Failed', ciState: state, failureReason: sentence })
    })

  it('goes on with the same commit after its worker was killed, and while the git host was away', async () => {
    const { records, github } = world
    const { app, attempt, commit } = await begun()
    await untilPhase(records, attempt, 'WaitingForCI')
    await worker.stop('SIGKILL')
    github.contents.heads.set('main', 'd'.repeat(40))
    github.refuseWith = 502
    await start()
    await untilBuild(attempt, ({ status }) => /say what was checked: 502/.test(status?.message ?? ''), 'away')
    github.refuseWith = undefined
    github.contents.checkRuns.set(commit, [run('lint', 'completed', 'success')])
    await playSuccess(records, await untilPhase(records, attempt, 'Running'), commit)
    await untilState(records, app, 'ready', attempt)
    expect((await untilCleaned(records, attempt)).status?.sourceRevision).to.equal(commit)
  })

  it('ends when it is cancelled, and when a newer deploy supersedes it', async () => {
    const { records } = world
    const { app, attempt } = await begun()
    await untilPhase(records, attempt, 'WaitingForCI')
    const next = attemptIn(await deploy(records, app))
    expect((await untilCleaned(records, attempt)).status).to.include({
      phase: 'Cancelled',
      failureReason: `superseded by ${next}`,
    })
    await untilPhase(records, next, 'WaitingForCI')
    await cancelBuild(records.builds, next)
    const failed = await untilState(records, app, 'failed', next)
    expect(failed.status?.lastAttempt?.summary).to.equal('the build was cancelled')
    await untilCleaned(records, next)
  })

  it('fails with a sentence where svc cannot read the checks', async () => {
    const other = await createProject(world.records)
    await untilSetUp(world.records, other)
    const unconnected = /^the build failed: waiting for checks needs a repository of the git host, and an environment/
    for (const [git, project, why] of [
      [{}, other, unconnected],
      [{ repository: 'https://git.example.test/acme/web' }, world.project, unconnected],
      [{ repository: 'acme/not-given' }, world.project, /^the build failed: the checks cannot be read: 404/],
      [{ branch: 'gone' }, world.project, /^the build failed: the checks cannot be read: 404/],
    ] as const) {
      const { app, attempt } = await begun(git, project)
      expect((await untilState(world.records, app, 'failed', attempt)).status?.lastAttempt?.summary).to.match(why)
      await untilCleaned(world.records, attempt)
    }
  })

  it('looks no more often than the policy says, however often it is woken', async () => {
    const { records, github } = world
    const { attempt, commit } = await begun()
    await untilPhase(records, attempt, 'WaitingForCI')
    const looks = () => github.calls.filter((call) => call.includes(`${commit}/check-runs`)).length
    await eventually('it has looked', () => looks() > 0, 10_000)
    const [before, began] = [looks(), Date.now()]
    const wakes = await useWakes()
    while (looks() < before + 3) {
      wakes.wake('build', attempt, { reason: 'a check of its commit changed' })
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    // `ciNewsMs` of the tests is 100 ms.
    expect(looks() - before).to.be.at.most(1 + Math.ceil((Date.now() - began) / 100))
    await cancelBuild(records.builds, attempt)
    await untilCleaned(records, attempt)
  })
})
