/** Which installation of the git-host app an environment builds from (docs/reference/githost.md#projects). */
import { refuse } from '../../contract/problem.ts'
import type { Project, ProjectSpec } from '../../kinds/projects/kind.ts'
import { refuseUnknownEnvironment } from '../place/project-environment.ts'
import { editProject, type ProjectNeeds } from './edit-project.ts'

export type GitHostLink = NonNullable<ProjectSpec['gitHosts']>[number]

/**
 * The link of an environment; the first environment where none is named. Throws Problem invalid_request without one.
 */
export function gitHostOf(project: Project, environment: string | undefined): GitHostLink {
  const wanted = environment ?? firstOf(project)
  const link = project.spec.gitHosts?.find((each) => each.environment === wanted)
  if (link === undefined) throw refuse(`the environment ${wanted} is not connected to a git host`)
  return link
}

/** Connects one environment, replacing its earlier link. Throws Problem not_found, invalid_request. */
export function connectGitHost(needs: ProjectNeeds, name: string, link: GitHostLink): Promise<Project> {
  return editProject(needs, name, (project) => {
    refuseUnknownEnvironment(project, link.environment)
    const others = (project.spec.gitHosts ?? []).filter((each) => each.environment !== link.environment)
    return { ...project.spec, gitHosts: [...others, link] }
  })
}

/**
 * Removes the link of one environment. Its services keep their repositories and run on; private repositories are no
 * longer built.
 */
export function disconnectGitHost(
  needs: ProjectNeeds,
  name: string,
  environment: string | undefined,
  ifMatch?: string,
): Promise<Project> {
  return editProject(
    needs,
    name,
    (project) => {
      const gone = gitHostOf(project, environment)
      const { gitHosts = [], ...spec } = project.spec
      const rest = gitHosts.filter((each) => each.environment !== gone.environment)
      return rest.length === 0 ? spec : { ...spec, gitHosts: rest }
    },
    ifMatch,
  )
}

const firstOf = ({ spec }: Project): string => spec.environments[0] ?? ''
