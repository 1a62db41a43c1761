/** Pushes without a delivery, since it was away or the delivery was lost. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { deployPushed } from '../../activities/githost/deploy-pushed.ts'
import { missedPushes } from '../../activities/githost/missed-pushes.ts'
import type { ActivityNeeds } from '../../activities/context/needs.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { createGitHost } from '../../outside/githost/githost.ts'
import { gitHostSettings } from '../../outside/githost/addresses.ts'
import { behindStore, createProject, deploy, until, untilState } from '../harness/records.ts'
import { resyncUntil } from '../harness/resync.ts'
import { startTestWorker, type TestWorker } from '../harness/worker.ts'
import { createGitApp, playSuccess, untilCleaned, untilPhase } from './build-world.ts'
import { type GitHostWorld, openGitHostWorld, workerEnv } from './git-host-world.ts'
import { attemptIn, untilSetUp } from './service-world.ts'

type Git = Partial<NonNullable<AppSpec['source']['git']>>

describe('a push whose webhook was lost', function () {
  this.timeout(120_000)
  let world: GitHostWorld
  let worker: TestWorker

  before(async function () {
    this.timeout(180_000)
    world = await openGitHostWorld(async (github) => {
      worker = await startTestWorker({}, 'temporal/main.ts', workerEnv(github))
    })
  })
  after(async () => {
    await world?.close()
    await worker?.stop('SIGKILL')
  })

  const newCommit = (): string => randomBytes(20).toString('hex')
  const buildsOf = ({ metadata }: App): Build[] =>
    world.records.builds.cache.list().filter(({ spec }) => spec.app === metadata.name)
  /** Ready with a commit of its own branch. */
  async function ready(git: Git = {}, project = world.project): Promise<{ app: App; branch: string; commit: string }> {
    const [branch, commit] = [`b-${newCommit().slice(0, 8)}`, newCommit()]
    world.github.contents.heads.set(branch, commit)
    const app = await createGitApp(world.records, project, { repository: 'acme/web', branch, ...git })
    const attempt = attemptIn(await deploy(world.records, app))
    await playSuccess(world.records, await untilPhase(world.records, attempt, 'Running'), commit)
    await untilState(world.records, app, 'ready', attempt)
    await untilCleaned(world.records, attempt)
    return { app, branch, commit }
  }

  it('is deployed by the next resync, once, and only for services that watch its branch and paths', async () => {
    const { records, github } = world
    const unconnected = await createProject(records)
    await untilSetUp(records, unconnected)
    const moved = await ready()
    const still = await ready()
    const elsewhere = await ready({}, unconnected)
    const unwatched = await ready({ watchPatterns: ['web/**'] })
    const watched = await ready({ watchPatterns: ['web/**'] })
    const pushed = newCommit()
    for (const { branch } of [moved, elsewhere]) github.contents.heads.set(branch, pushed)
    const [docs, code] = [newCommit(), newCommit()]
    github.contents.heads.set(unwatched.branch, docs).set(watched.branch, code)
    github.contents.changed.set(docs, ['guide/index.md']).set(code, ['web/index.ts'])
    const both = [moved, watched]
    await resyncUntil('what was pushed is built', () => both.every(({ app }) => buildsOf(app).length === 2))
    const live = await records.apps.readLive(moved.app.metadata.name)
    const attempt = live === undefined ? undefined : viewOf(live).attempt
    expect(attempt).to.include({
      actor: 'git host',
      title: `Push of ${pushed.slice(0, 7)} to ${moved.branch}`,
      requestId: `missed-${pushed}`,
    })
    for (const [{ app }, commit] of [
      [moved, pushed],
      [watched, code],
    ] as const) {
      const name = attemptIn((await records.apps.readLive(app.metadata.name)) ?? app)
      await playSuccess(records, await untilPhase(records, name, 'Running'), commit)
      await until(
        records.apps,
        app,
        (seen) => seen?.status?.lastAttempt?.id === name && seen.status.lastAttempt.phase === 'Succeeded',
        'ready with it',
      )
      await untilCleaned(records, name)
    }
    // The delivery comes after all.
    const gitHost = createGitHost(gitHostSettings({ SVC_GITHUB_URL: github.url, SVC_GITHUB_API_URL: github.url }))
    const push = {
      repository: 'acme/web',
      branch: moved.branch,
      isDefaultBranch: false,
      commit: pushed,
      installation: world.installation,
    }
    const needs = { ...records, gitHost } as unknown as ActivityNeeds // what a push needs of them
    await deployPushed(needs)({ delivery: 'late-delivery', push })
    let calls = github.calls.length
    let comparisons = 0
    await resyncUntil('it is compared once more', () => {
      if (github.calls.length > calls) comparisons += 1
      calls = github.calls.length
      return comparisons >= 2
    })
    const counts = [moved, watched, still, elsewhere, unwatched].map(({ app }) => buildsOf(app).length)
    expect(counts).to.deep.equal([2, 2, 1, 1, 1])
  })

  it('is not deployed again where the cache of builds lacks the build of its commit', async () => {
    const { records, github } = world
    const { app, branch } = await ready()
    const before = buildsOf(app)
    const pushed = newCommit()
    github.contents.heads.set(branch, pushed)
    const attempt = attemptIn(await deploy(records, app))
    await playSuccess(records, await untilPhase(records, attempt, 'Running'), pushed)
    const live = await untilState(records, app, 'ready', attempt)
    await untilCleaned(records, attempt)
    const gitHost = createGitHost(gitHostSettings({ SVC_GITHUB_URL: github.url, SVC_GITHUB_API_URL: github.url }))
    const builds = behindStore(records.client, resourceTypes.build, before, { app: ({ spec }) => [spec.app] })
    const needs = { ...records, builds, gitHost } as unknown as ActivityNeeds // what a comparison needs of them
    expect(await missedPushes(needs)(live), 'it is deployed again').to.equal(false)
    github.contents.heads.set(branch, newCommit())
    expect(await missedPushes(needs)(live), 'the next push is deployed').to.equal(true)
  })
})
