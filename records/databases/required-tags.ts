/** The node tags that the project of a database requires. */
import type { DatabaseNeeds } from './needs.ts'

/**
 * Read live, since another process may have saved them a moment ago. Empty for the shared server, and for a missing
 * project, which another check refuses.
 */
export async function requiredTagsOf(
  { projects }: Pick<DatabaseNeeds, 'projects'>,
  project: string,
): Promise<readonly string[]> {
  return project === '' ? [] : ((await projects.readLive(project))?.spec.requiredTags ?? [])
}
