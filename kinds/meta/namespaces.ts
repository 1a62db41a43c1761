/** The namespace that an environment's workloads live in. */

import { systemNamespace } from './group.ts'

/** `<project>-<environment>` (docs/reference/projects.md). */
export function namespaceOf(project: string, environment: string): string {
  return `${project}-${environment}`
}

/** The same for what may also belong to the whole cluster, which has no project and lives in svc-system. */
export function homeOf({ project, environment }: { project: string; environment: string }): string {
  return project === '' ? systemNamespace : namespaceOf(project, environment)
}
