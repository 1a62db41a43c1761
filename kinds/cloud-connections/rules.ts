/** How a cloud connection is reconciled: it has no draft, and its finalizer holds it until its keys are gone. */
import { finalizers } from '../meta/annotations.ts'
import { askedByIn, type ProvisionRules } from '../provision/plan.ts'
import type { CloudConnection } from './kind.ts'

export const connectionRules: ProvisionRules<CloudConnection> = {
  effectiveSpec: ({ spec }) => spec,
  finalizer: () => finalizers.cloudConnection,
  variant: () => '',
  askedBy: askedByIn,
  reportsDrafts: false,
}
