/** A service, database or bucket as pairs of names and texts; the same of every kind, then its details. */
import type { ResourceSummary } from '../contract/resource-views.ts'
import { timeText } from './duration.ts'

export function resourcePairs(resource: ResourceSummary): (readonly [string, string])[] {
  return [
    ['name', resource.name],
    ['label', resource.displayName === resource.name ? '' : resource.displayName],
    ['project', resource.project],
    ['environment', resource.environment],
    ['state', resource.state],
    ['message', resource.message],
    ['url', resource.url],
    ['pending changes', String(resource.pendingChanges)],
    ...Object.entries(resource.details).map(([name, value]) => [name, detailText(value)] as const),
    ['created', timeText(resource.createdAt)],
  ]
}

/** What is nested is shown as JSON. */
export function detailText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
