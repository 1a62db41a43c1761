/** The node tags that the project of a database requires. */

import type { DatabaseNeeds } from './needs.ts'

/** None for the shared server, and for a project that is not there: whoever creates something in it is told so elsewhere. */
export async function requiredTagsOf({ projects }: Pick<DatabaseNeeds, 'projects'>, project: string): Promise<readonly string[]> {
  return project === '' ? [] : ((await projects.read(project))?.spec.requiredTags ?? [])
}
