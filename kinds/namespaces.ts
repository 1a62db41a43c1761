/** The namespace that an environment's workloads live in. */

/** `<project>-<environment>` (design, State). */
export function namespaceOf(project: string, environment: string): string {
  return `${project}-${environment}`
}
