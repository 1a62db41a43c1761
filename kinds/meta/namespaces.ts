/** The namespace that an environment's workloads live in, and the labels of what belongs to it. */
import { labels } from './annotations.ts'
import { systemNamespace } from './group.ts'

/** `<project>-<environment>` (docs/reference/projects.md). */
export function namespaceOf(project: string, environment: string): string {
  return `${project}-${environment}`
}

/** The same for what may also belong to the whole cluster, which has no project and lives in svc-system. */
export function homeOf({ project, environment }: { project: string; environment: string }): string {
  return project === '' ? systemNamespace : namespaceOf(project, environment)
}

/** The labels that say where something belongs: the contents of an environment are found by these. */
export const placeLabels = ({ project, environment }: { project: string; environment: string }) => ({
  [labels.project]: project,
  [labels.environment]: environment,
})
