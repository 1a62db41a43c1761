/** Reads a project by name and checks one of its environments; both may have been made by another process. */
import { refuse } from '../../contract/problem.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import type { RecordStore } from '../store/record-store.ts'

/** The project; read live where the cached one lacks the environment, which another process may just have added. */
export async function readWithEnvironment(
  { read, readLive }: Pick<RecordStore<Project>, 'read' | 'readLive'>,
  name: string,
  environment: string,
): Promise<Project | undefined> {
  const project = await read(name)
  return project === undefined || project.spec.environments.includes(environment) ? project : readLive(name)
}

/** Throws Problem invalid_request when the project has no environment of that name. */
export function refuseUnknownEnvironment({ spec }: Project, environment: string): void {
  if (!spec.environments.includes(environment)) throw refuse(`the project has no environment ${environment}`)
}
