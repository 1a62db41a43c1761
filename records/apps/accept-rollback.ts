/**
 * Rolls back to an earlier deployment: its image and number of copies. All other deployed settings stay, and pending
 * changes stay pending.
 */
import { Problem, refuse } from '../../contract/problem.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { wasConfined } from '../../kinds/apps/manifests/confinement.ts'
import { changes } from '../../kinds/apps/spec/draft.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { digestIn, namesImage } from '../../kinds/apps/deploy/image.ts'
import { withEarlier } from '../../kinds/apps/deploy/rollback.ts'
import { secretEditOf } from '../../kinds/apps/spec/secret-edit.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { type AcceptNeeds, acceptDeploy, type DeployRequest, type Wanted } from './accept-deploy.ts'

export const deploymentNotFound = 'deployment not found'

export type RollbackRequest = Pick<DeployRequest, 'actor' | 'requestId' | 'ifMatch'> & {
  revision: string
  /** The image which that deployment ran, from its log. */
  ranImage?: string | undefined
}

/**
 * An image service gets the earlier image, without a pull secret, and the earlier number of copies; a git service the
 * earlier number of copies alone. Functions are refused, and so is a deployment record without the service's label
 * (docs/reference/deployments.md#rollback). Throws Problem not_found, invalid_request.
 */
export async function acceptRollback(
  needs: AcceptNeeds,
  app: App,
  { revision, ranImage, ...request }: RollbackRequest,
): Promise<App> {
  if (app.spec.source.function !== undefined)
    throw refuse('functions cannot be rolled back; restore the earlier code and deploy again')
  const record = await needs.deployments.read(revision)
  if (record === undefined) throw new Problem('not_found', deploymentNotFound)
  if (record.metadata.labels?.[labels.app] !== app.metadata.name || record.spec.app !== app.metadata.name)
    throw refuse('deployment revision does not belong to app')
  return acceptDeploy(needs, app, {
    ...request,
    // With its digest: the tag may name another image today.
    ...(ranImage !== undefined && digestIn(ranImage) !== '' && namesImage(record.spec.image, ranImage)
      ? { image: ranImage }
      : {}),
    confined: wasConfined(record),
    operation: 'rollback',
    title: `Rollback to ${revision}`,
    change: (current) => rolledBack(current, record),
    // Shared and secret variables stay the deployed ones: a rollback deploys no pending edit of them.
    keepRelease: true,
  })
}

function rolledBack(app: App, record: Deployment): Wanted {
  const spec = withEarlier(app.spec, record.spec)
  const deployed = withEarlier(viewOf(app).lastDeployed ?? app.spec, record.spec)
  return { spec, deployed, pending: changes(deployed, spec, secretEditOf(app) !== undefined) }
}
