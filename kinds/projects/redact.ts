/** A project's spec for callers who may not change it: no variables, no webhook addresses, no backup bucket. */
import type { ProjectSpec } from './kind.ts'

export function redactedProject(spec: ProjectSpec): ProjectSpec {
  const { backupStorage: _, ...kept } = spec
  return { ...kept, sharedVariables: [], webhooks: [] }
}
