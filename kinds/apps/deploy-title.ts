/** The readable reason of a deploy: `changeTitle` of its record. */

import { lastDeployed, pendingChanges } from './effective-spec.ts'
import type { App } from './kind.ts'

export function deployTitle(app: App): string {
  const pending = pendingChanges(app).filter((word) => word !== 'created')
  if (lastDeployed(app) === undefined) return 'First deploy'
  return pending.length === 0 ? 'Redeploy' : `Changed ${pending.join(' and ')}`
}
