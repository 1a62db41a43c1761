/** Saves the settings of a project's pull request environments. */
import type { Project, ProjectSpec } from '../../kinds/projects/kind.ts'
import { refuse } from '../../contract/problem.ts'
import { pullRequestIn } from '../../kinds/projects/pull-requests.ts'
import { editProject, type ProjectNeeds } from './edit-project.ts'
import { refuseUnknownEnvironment } from '../place/project-environment.ts'

type PullRequestSettings = {
  [Field in keyof ProjectSpec['pullRequestEnvironments']]?: ProjectSpec['pullRequestEnvironments'][Field] | undefined
}

/**
 * Settings that are not given stay; the first environment is the base while none is chosen. Throws Problem not_found,
 * invalid_request.
 */
export async function savePullRequests(
  needs: ProjectNeeds,
  name: string,
  settings: PullRequestSettings,
  ifMatch?: string,
): Promise<Project> {
  return editProject(
    needs,
    name,
    (project) => {
      const { spec } = project
      const { enabled, baseEnvironment, maxOpen } = spec.pullRequestEnvironments
      const base = settings.baseEnvironment ?? (baseEnvironment === '' ? (spec.environments[0] ?? '') : baseEnvironment)
      refuseUnknownEnvironment(project, base)
      if (pullRequestIn(spec, base) !== undefined) throw refuse('an environment of a pull request cannot be copied')
      return {
        ...spec,
        pullRequestEnvironments: {
          enabled: settings.enabled ?? enabled,
          baseEnvironment: base,
          maxOpen: settings.maxOpen ?? maxOpen,
        },
      }
    },
    ifMatch,
  )
}
