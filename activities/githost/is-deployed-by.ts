/** Which services a push deploys (docs/reference/githost.md#pushes). */
import type { GitPush } from '../../kinds/apps/git/git-delivery.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { Push } from '../../kinds/apps/git/push.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { isWatched } from '../../kinds/apps/git/watch-patterns.ts'
import { nameAtGitHost } from '../../kinds/builds/repository.ts'

/**
 * Whether the push is of the branch that the service builds, and changed a file that it watches. `web` is the address
 * of the git host, for services that name their repository by an address.
 */
export function isDeployedBy(app: App, push: Push, web: string): boolean {
  const git = viewOf(app).effectiveSpec?.source.git
  return (
    git !== undefined && repositoryName(git.repository, web) === push.repository.toLowerCase() && isOfBranch(app, push)
  )
}

/** The same for a push that is known to be to the repository of the service. */
export function isOfBranch(app: App, push: GitPush): boolean {
  const git = viewOf(app).effectiveSpec?.source.git
  if (app.metadata.deletionTimestamp !== undefined || git === undefined || git.commit !== '') return false
  if (git.branch === '' ? !push.isDefaultBranch : git.branch !== push.branch) return false
  const { changed } = push
  if (git.watchPatterns.length === 0 || changed === undefined) return true
  return isWatched(git.watchPatterns, changed)
}

/** `owner/name` in lower case, which is how the git host compares them; '' for a repository of another host. */
export const repositoryName = (repository: string, web: string): string =>
  nameAtGitHost(repository, web)?.toLowerCase() ?? ''
