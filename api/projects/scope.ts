/** Which project a call is about, and what is said to its workflow afterwards. */
import { Problem } from '../../contract/problem.ts'
import { actorOf } from '../../contract/caller.ts'
import type { Caller } from '../../contract/caller.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { projectNotFound } from '../../records/projects/edit-project.ts'
import type { Needs } from '../needs.ts'

export async function projectOf({ records }: Needs, name: string): Promise<Project> {
  const project = await records.projects.read(name)
  if (project === undefined) throw new Problem('not_found', projectNotFound)
  return project
}

/** Wakes the project's workflow in the background. */
export function hintProject({ hints }: Needs, name: string, reason: string, { caller, requestId }: { caller: Caller; requestId: string }): void {
  hints.hint('project', name, { reason, actor: actorOf(caller), requestId })
}
