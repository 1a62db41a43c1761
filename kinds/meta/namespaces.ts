/** The namespace with the workloads of an environment, and the labels of the objects that belong to it. */
import { labels } from './annotations.ts'
import { systemNamespace } from './group.ts'

/** `<project>-<environment>` (docs/reference/projects.md). */
export function namespaceOf(project: string, environment: string): string {
  return `${project}-${environment}`
}

/** As `namespaceOf`; svc-system for a resource of the whole cluster, which has no project. */
export function homeOf({ project, environment }: { project: string; environment: string }): string {
  return project === '' ? systemNamespace : namespaceOf(project, environment)
}

/** The labels of everything in an environment; svc finds the contents of an environment by them. */
export const placeLabels = ({ project, environment }: { project: string; environment: string }) => ({
  [labels.project]: project,
  [labels.environment]: environment,
})
