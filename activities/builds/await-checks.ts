/** The wait for the checks of a commit, before a build is queued (docs/reference/builds.md#checks-of-a-commit). */
import type { App } from '../../kinds/apps/kind.ts'
import { type Check, verdictOf } from '../../kinds/builds/checks.ts'
import type { Build, BuildStatus } from '../../kinds/builds/kind.ts'
import { shortListMax } from '../../kinds/meta/bounds.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'
import { type GitHostLink, gitHostLinkOf } from '../context/git-host-link.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { reportDeploy } from '../context/report-deploy.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { appendAttemptLog } from '../../records/store/attempt-history.ts'
import type { BuildPassed } from './messages.ts'
import { end, waiting, write } from './written.ts'

/** When this process last asked the git host, by the uid of the build: many wakes in a row cause one request. */
export type LookTimes = Map<string, number>

const unconnected =
  'waiting for checks needs a repository of the git host, and an environment that is connected to its app'
/** Limit of `LookTimes`, which keeps builds that ended while they waited; a forgotten entry costs one request. */
const memoizedMax = 1_000

/** The build with the checked commit if it may go on; else the result of the pass. */
export async function awaitChecks(
  needs: ActivityNeeds,
  looks: LookTimes,
  build: Build,
  app: App,
): Promise<{ passed: Build } | BuildPassed> {
  const { uid = '' } = build.metadata
  const now = needs.now().getTime()
  const early = (looks.get(uid) ?? -Infinity) + needs.checks.newsMs - now
  if (early > 0) return waiting(build, build.status?.message ?? '', early)
  const link = await gitHostLinkOf(needs, build.spec)
  if (link === undefined) return end(needs, build, 'Failed', unconnected, { ciState: 'error' })
  if (looks.size >= memoizedMax) looks.clear()
  looks.set(uid, now)
  try {
    return await readChecks(needs, looks, build, app, link)
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    if (!error.passing)
      return end(needs, build, 'Failed', `the checks cannot be read: ${error.message}`, { ciState: 'error' })
    const message = `waiting for the git host to say what was checked: ${error.message}`
    return waiting(await write(needs, build, { phase: 'WaitingForCI', message }), message, needs.checks.lookMs)
  }
}

async function readChecks(
  needs: ActivityNeeds,
  looks: LookTimes,
  before: Build,
  app: App,
  link: GitHostLink,
): Promise<{ passed: Build } | BuildPassed> {
  const build = await withCommit(needs, before, link)
  await reportDeploy(needs, build, 'begun')
  const commit = build.status?.sourceRevision ?? ''
  const checks = await needs.gitHost.checksOf(link.app, link.installation, link.repository, commit)
  const waited = needs.now().getTime() - Date.parse(build.metadata.creationTimestamp ?? '')
  const { state, why } = verdictOf(checks, commit, waited, needs.checks)
  const change = { ciState: state, ciChecks: checks.slice(0, shortListMax) } satisfies Partial<BuildStatus>
  if (canonical(change) !== canonical({ ciState: build.status?.ciState, ciChecks: build.status?.ciChecks ?? [] }))
    await keepChecks(needs, app, build, checks, why)
  if (state === 'pending') {
    const left = needs.checks.moreChecksMs - waited
    const restMs = Math.min(needs.checks.lookMs, left > 0 ? left : Infinity)
    return waiting(await write(needs, build, { ...change, message: why }), why, Math.max(restMs, needs.checks.newsMs))
  }
  looks.delete(build.metadata.uid ?? '')
  if (state !== 'success') return end(needs, build, 'Failed', why, change)
  return { passed: await write(needs, build, { ...change, phase: 'Pending', message: null }) }
}

/** Fixes the commit in the status before its checks are read, so that the checked commit is the one that is built. */
async function withCommit(
  needs: ActivityNeeds,
  build: Build,
  { app, installation, repository }: GitHostLink,
): Promise<Build> {
  if (build.status?.sourceRevision !== undefined) return build
  const { branch, revision } = build.spec
  const commit = await needs.gitHost.commitOf(app, installation, repository, revision === '' ? branch : revision)
  const message = `waiting for the git host to report checks of commit ${commit.slice(0, 7)}`
  return write(needs, build, { phase: 'WaitingForCI', sourceRevision: commit, ciState: 'pending', message })
}

async function keepChecks(
  needs: ActivityNeeds,
  app: App,
  { spec, status }: Build,
  checks: readonly Check[],
  why: string,
): Promise<void> {
  const lines = checks.map(({ name, state, url }) => [state, name, url].filter((part) => part !== undefined).join('  '))
  const section = { id: 'ci', title: 'Checks', lines: [`commit ${status?.sourceRevision ?? ''}`, ...lines, why] }
  await appendAttemptLog(needs, viewOf(app), spec.attempt, [], { sections: [section] })
}
