/** Starts the report of a deploy to the git host, if its environment is connected to one. */
import type { Build } from '../../kinds/builds/kind.ts'
import { nameAtGitHost } from '../../kinds/builds/repository.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { ActivityNeeds } from './needs.ts'

type Needs = Pick<ActivityNeeds, 'projects' | 'gitHost' | 'startReport'>

/**
 * Called after the write that is to be reported, and again whenever that pass is repeated. Makes no call to Temporal
 * for a build whose commit is not known yet, or whose environment is not connected.
 */
export async function reportDeploy(
  { projects, gitHost, startReport }: Needs,
  { metadata, spec, status }: Build,
  news: string,
): Promise<void> {
  const { app, project, environment, attempt: record, repository } = spec
  const links = projects.cache.get(project, systemNamespace)?.spec.gitHosts ?? []
  const commit = status?.sourceRevision
  if (commit === undefined || !links.some((link) => link.environment === environment)) return
  if (nameAtGitHost(repository, gitHost.web) === undefined) return
  await startReport({ app, project, environment, record, build: metadata.name, repository, commit }, news)
}
