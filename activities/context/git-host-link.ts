/** App and installation that svc uses at the git host for an environment (docs/reference/githost.md#projects). */
import { nameAtGitHost } from '../../kinds/builds/repository.ts'
import type { GitHostApp } from '../../kinds/platform/settings.ts'
import { isWhole, readGitHostApp } from '../../records/settings/githost.ts'
import type { ActivityNeeds } from './needs.ts'

export interface GitHostLink {
  app: GitHostApp
  installation: number
  /** `owner/name` */
  repository: string
}

/** Project, environment and repository of a service, from its record or from that of its build. */
export interface Placed {
  project: string
  environment: string
  repository: string
}

/** Undefined for a repository of another host, an environment that is not connected, and an install without an app. */
export async function gitHostLinkOf(
  { client, projects, gitHost }: Pick<ActivityNeeds, 'client' | 'projects' | 'gitHost'>,
  { project, environment, repository: written }: Placed,
): Promise<GitHostLink | undefined> {
  const repository = nameAtGitHost(written, gitHost.web)
  if (repository === undefined) return undefined
  const links = (await projects.readLive(project))?.spec.gitHosts ?? []
  const link = links.find((each) => each.environment === environment)
  if (link === undefined) return undefined
  const app = await readGitHostApp(client)
  return isWhole(app) ? { app, installation: link.installation, repository } : undefined
}
