/** One service of the environment of a pull request: made once, and deployed at each commit. */
import { atCommit, copyOfApp } from '../../kinds/apps/git/pull-request-copy.ts'
import { hostsOf } from '../../kinds/apps/hosts.ts'
import { changes } from '../../kinds/apps/spec/draft.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { secretEditOf } from '../../kinds/apps/spec/secret-edit.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { acceptDeploy, type Wanted } from '../../records/apps/accept-deploy.ts'
import { createDraft } from '../../records/apps/create-draft.ts'
import { saveDisplayName } from '../../records/apps/save-settings.ts'
import { type Copying, isCopied } from './copying.ts'
import { repositoryName } from './is-deployed-by.ts'

/**
 * Resolves with the copy; undefined if the service cannot be copied. A worker that dies in between leaves a draft,
 * which the next try deploys. Throws Problem.
 */
export async function copyService(copying: Copying, app: App): Promise<App | undefined> {
  const { apps, entry, place, gitHostUrl, left } = copying
  const name = place.names.get(app.metadata.name) ?? ''
  const git = viewOf(app).effectiveSpec?.source.git
  const isBuilt = git !== undefined && repositoryName(git.repository, gitHostUrl) === entry.repository
  const wanted = copyOfApp(app, place, {
    commit: isBuilt ? entry.commit : undefined,
    secrets: entry.fork !== true,
  })
  const found = await apps.read(name)
  if (wanted === undefined && !isCopied(copying, found)) {
    left.push(`${app.metadata.name}: it is not deployed`)
    return undefined
  }
  for (const each of wanted?.left ?? []) left.push(`${app.metadata.name}: ${each}`)
  const copy =
    isCopied(copying, found) || wanted === undefined
      ? found
      : await createDraft(copying, name, await withFreeHosts(copying, app, name, wanted.spec))
  if (copy === undefined || copy.metadata.deletionTimestamp !== undefined) return undefined
  const label = app.metadata.annotations?.[annotations.displayName] ?? app.metadata.name
  const named =
    copy.metadata.annotations?.[annotations.displayName] === undefined
      ? await saveDisplayName(copying, name, label)
      : copy
  return deployAt(copying, named)
}

/** The spec without hosts that are taken; the platform may generate one instead. */
async function withFreeHosts(copying: Copying, app: App, name: string, spec: AppSpec): Promise<AppSpec> {
  const { hostTrouble, place, left } = copying
  const taken = new Set<string>()
  for (const host of hostsOf(spec)) {
    if ((await hostTrouble(host, name, place)) === undefined) continue
    left.push(`${app.metadata.name}: the host ${host}, which is not free`)
    taken.add(host)
  }
  const { ingress } = spec
  const host = taken.has(ingress.host) ? '' : ingress.host
  return { ...spec, ingress: { ...ingress, host, rules: ingress.rules.filter((rule) => !taken.has(rule.host)) } }
}

/** Deploys the copy unless it has this commit already; pending changes saved by hand stay pending. */
async function deployAt(copying: Copying, copy: App): Promise<App> {
  const { entry, asked } = copying
  const isDone = (current: App): boolean => {
    const deployed = viewOf(current).lastDeployed
    const git = deployed?.source.git
    return deployed !== undefined && (git === undefined || git.commit === entry.commit)
  }
  if (isDone(copy)) return copy
  const change = (current: App): Wanted => {
    if (isDone(current)) throw new Done()
    const { lastDeployed = current.spec } = viewOf(current)
    const deployed = atCommit(lastDeployed, entry.commit)
    const spec = atCommit(current.spec, entry.commit)
    return { spec, deployed, pending: changes(deployed, spec, secretEditOf(current) !== undefined) }
  }
  const title = `Pull request #${entry.number} at ${entry.commit.slice(0, 7)}`
  try {
    return await acceptDeploy(copying, copy, { ...asked, operation: 'deploy', title, change })
  } catch (error) {
    if (!(error instanceof Done)) throw error
    return (await copying.apps.readLive(copy.metadata.name)) ?? copy
  }
}

/** Another try of the same activity has deployed the commit already. */
class Done extends Error {}
