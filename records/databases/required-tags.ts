/** The node tags that the project of a database requires. */
import type { DatabaseNeeds } from './needs.ts'

/**
 * Uncached, as they may have been saved through another process a moment ago. None for the shared server, and none for
 * a project that is not there, which another check refuses.
 */
export async function requiredTagsOf(
  { projects }: Pick<DatabaseNeeds, 'projects'>,
  project: string,
): Promise<readonly string[]> {
  return project === '' ? [] : ((await projects.readLive(project))?.spec.requiredTags ?? [])
}
