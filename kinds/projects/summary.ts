/** A project as one item of a list (docs/reference/conventions.md#resource-summary). */
import type { ResourceSummary } from '../../contract/views/resource.ts'
import { projectState } from './intent.ts'
import type { Project } from './kind.ts'

/** The same for all callers, whatever they may change. */
export function projectSummary(project: Project): ResourceSummary {
  const { name, creationTimestamp = '' } = project.metadata
  const { displayName, environments, region, requiredTags } = project.spec
  return {
    kind: 'project',
    name,
    displayName: displayName === '' ? name : displayName,
    project: name,
    environment: '',
    ...projectState(project),
    url: '',
    pendingChanges: 0,
    createdAt: creationTimestamp,
    details: { environments, region, requiredTags },
  }
}
