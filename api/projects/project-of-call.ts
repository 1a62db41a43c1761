/** The project of a call, and the wake of its workflow. */
import { Problem } from '../../contract/problem.ts'
import { actorOf, type Caller } from '../../contract/caller.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import type { PullRequestRef } from '../../kinds/projects/pull-requests.ts'
import { projectNotFound } from '../../records/projects/edit-project.ts'
import { readWithEnvironment, refuseUnknownEnvironment } from '../../records/place/project-environment.ts'
import type { Needs } from '../context/needs.ts'

/** The project; it has the environment, if one is named. Throws Problem not_found, invalid_request. */
export async function projectOf({ records }: Needs, name: string, environment = ''): Promise<Project> {
  const project = await (environment === ''
    ? records.projects.read(name)
    : readWithEnvironment(records.projects, name, environment))
  if (project === undefined) throw new Problem('not_found', projectNotFound)
  if (environment !== '') refuseUnknownEnvironment(project, environment)
  return project
}

/** Wakes the project's workflow in the background. */
export function wakeProject(
  { wakes }: Needs,
  name: string,
  reason: string,
  { caller, requestId }: { caller: Caller; requestId: string },
): void {
  wakes.wake('project', name, { reason, actor: actorOf(caller), requestId })
}

/** Wakes the workflow of a pull request in the background; the resync repeats a lost wake. */
export function wakePullRequest(
  { pushes, log }: Needs,
  ref: PullRequestRef,
  reason: string,
  { caller, requestId }: { caller: Caller; requestId: string },
): void {
  pushes.wakePullRequest(ref, { reason, actor: actorOf(caller), requestId }).catch((error: unknown) => {
    log.warn({ ...ref, error: String(error) }, 'wake not delivered; the resync repeats it')
  })
}
