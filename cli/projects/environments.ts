/** The environments of a project's summary ("project: environments, region, requiredTags"). */
import type { ResourceSummary } from '../../contract/resource-views.ts'

export function environmentsOf({ details }: ResourceSummary): string[] {
  const { environments } = details
  return Array.isArray(environments) ? environments.filter((name) => typeof name === 'string') : []
}
