/** The node tags that the project of a database requires. */

import type { DatabaseNeeds } from './needs.ts'

/**
 * Past memory, as they may have been saved through another process a moment ago. None for the shared server, and for a project that
 * is not there: whoever creates something in it is told so elsewhere.
 */
export async function requiredTagsOf({ projects }: Pick<DatabaseNeeds, 'projects'>, project: string): Promise<readonly string[]> {
  return project === '' ? [] : ((await projects.readLive(project))?.spec.requiredTags ?? [])
}
