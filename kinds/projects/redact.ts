/** A project's spec for callers who cannot change things: no variables, no webhook addresses, no backup bucket. */
import type { ProjectSpec } from './kind.ts'

export function redactedProject(spec: ProjectSpec): ProjectSpec {
  const { backupStorage: _, ...kept } = spec
  return { ...kept, sharedVariables: [], webhooks: [] }
}
