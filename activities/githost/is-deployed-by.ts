/** Which services a push deploys (docs/reference/githost.md#pushes). */
import { posix } from 'node:path'
import type { App } from '../../kinds/apps/kind.ts'
import type { Push } from '../../kinds/apps/push.ts'
import { viewOf } from '../../kinds/apps/view.ts'

/**
 * Whether the push is of the branch that the service builds, and changed a file that it watches. `web` is the address
 * of the git host, for services that name their repository by an address.
 */
export function isDeployedBy(app: App, push: Push, web: string): boolean {
  const git = viewOf(app).effectiveSpec?.source.git
  if (app.metadata.deletionTimestamp !== undefined || git === undefined || git.commit !== '') return false
  if (nameOf(git.repository, web) !== push.repository.toLowerCase()) return false
  if (git.branch === '' ? !push.isDefaultBranch : git.branch !== push.branch) return false
  const { changed } = push
  if (git.watchPatterns.length === 0 || changed === undefined) return true
  return changed.some((path) => git.watchPatterns.some((pattern) => posix.matchesGlob(path, pattern)))
}

/** `owner/name` in lower case, which is how the git host compares them; '' for a repository of another host. */
function nameOf(repository: string, web: string): string {
  const host = new URL(web).host
  const forms = [`${web}/`, `https://${host}/`, `ssh://git@${host}/`, `git@${host}:`]
  const prefix = forms.find((form) => repository.toLowerCase().startsWith(form.toLowerCase())) ?? ''
  const name = repository.slice(prefix.length).replace(/\.git$/, '')
  return /^[\w.-]+\/[\w.-]+$/.test(name) ? name.toLowerCase() : ''
}
