/** Pushes whose delivery was missed, found by the heads of branches (docs/reference/githost.md#missed-pushes). */
import { defined } from '../../contract/defined.ts'
import { Problem } from '../../contract/problem.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { missedPushId, type Push } from '../../kinds/apps/git/push.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { GitHost } from '../../outside/githost/githost.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'
import { type GitHostLink, gitHostLinkOf } from '../context/git-host-link.ts'
import { lastBuild, refreshLastBuild } from '../context/last-build.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { deployHead, titleOf } from './deploy-pushed.ts'
import { isDeployedBy } from './is-deployed-by.ts'

/** Most calls to the git host in one resync; services that are left are compared in a later one. */
const callsMax = 200

/**
 * A function that deploys a service if its branch has a newer commit than its newest build, and resolves with whether
 * it did. It reads each branch once. A service is skipped while its deploy goes on, or if its newest build has no
 * commit to compare with. Refusals by the git host or by svc are logged, and the next resync tries again.
 */
export function missedPushes(needs: ActivityNeeds): (app: App) => Promise<boolean> {
  const reader = new HeadReader(needs)
  return async (app) => {
    try {
      return await deployMoved(needs, reader, app)
    } catch (error) {
      if (!(error instanceof Problem) && !(error instanceof UpstreamError && !error.passing)) throw error
      needs.log.info({ app: app.metadata.name, error: error.message }, 'a branch could not be compared or deployed')
      return false
    }
  }
}

async function deployMoved(needs: ActivityNeeds, reader: HeadReader, app: App): Promise<boolean> {
  const git = viewOf(app).effectiveSpec?.source.git
  const built = builtCommit(needs, app)
  if (git === undefined || git.commit !== '' || built === undefined || reader.isSpent) return false
  const { project, environment } = app.spec
  const links = needs.projects.cache.get(project, systemNamespace)?.spec.gitHosts ?? []
  if (!links.some((link) => link.environment === environment)) return false
  const link = await gitHostLinkOf(needs, { project, environment, repository: git.repository })
  const commit = link === undefined ? built : await reader.headOf(link, git.branch)
  if (link === undefined || commit === built) return false
  const { repository, installation } = link
  const changed = git.watchPatterns.length === 0 ? undefined : await reader.changedFiles(link, built, commit)
  const push: Push = {
    ...{ repository, installation, commit, branch: git.branch, isDefaultBranch: git.branch === '' },
    ...defined({ changed }),
  }
  if (!isDeployedBy(app, push, needs.gitHost.web)) return false
  // The cache of builds may be behind that of services: the attempt may have built this very commit.
  const live = await needs.apps.readLive(app.metadata.name)
  if (live === undefined) return false
  await refreshLastBuild(needs, live)
  if (builtCommit(needs, live) !== built) return false
  const requestId = missedPushId(commit)
  return deployHead(needs, app, {
    requestId,
    title: titleOf({ commit, branch: git.branch === '' ? 'the default branch' : git.branch }),
    isDone: (current) => builtCommit(needs, current) !== built,
  })
}

/** Commit of the newest build; undefined while a deploy goes on. */
function builtCommit({ builds }: Pick<ActivityNeeds, 'builds'>, app: App): string | undefined {
  const { attemptGoesOn } = viewOf(app)
  return attemptGoesOn ? undefined : lastBuild({ builds }, app)?.status?.sourceRevision
}

/** The calls to the git host during one resync: each branch is read once, and all calls are counted. */
class HeadReader {
  readonly #gitHost: GitHost
  readonly #heads = new Map<string, Promise<string>>()
  #calls = 0

  constructor({ gitHost }: Pick<ActivityNeeds, 'gitHost'>) {
    this.#gitHost = gitHost
  }

  get isSpent(): boolean {
    return this.#calls >= callsMax
  }

  headOf({ app, installation, repository }: GitHostLink, branch: string): Promise<string> {
    const key = `${installation} ${repository.toLowerCase()} ${branch}`
    const known = this.#heads.get(key)
    if (known !== undefined) return known
    this.#calls += 1
    const head = this.#gitHost.commitOf(app, installation, repository, branch)
    this.#heads.set(key, head)
    return head
  }

  changedFiles(
    { app, installation, repository }: GitHostLink,
    from: string,
    to: string,
  ): Promise<string[] | undefined> {
    this.#calls += 1
    return this.#gitHost.changedFiles(app, installation, repository, from, to)
  }
}
