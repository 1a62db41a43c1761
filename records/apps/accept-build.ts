/** Builds the head of the branch again and deploys it; pending changes stay pending. */
import { refuse } from '../../contract/problem.ts'
import { changes } from '../../kinds/apps/spec/draft.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { secretEditOf } from '../../kinds/apps/spec/secret-edit.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { type AcceptNeeds, acceptDeploy, type DeployRequest, type Wanted } from './accept-deploy.ts'

/**
 * Accepts an attempt of the last deployed spec whose build does not reuse an earlier image
 * (docs/reference/builds.md#building-again). Throws Problem not_found, invalid_request.
 */
export function acceptBuild(
  needs: AcceptNeeds,
  app: App,
  request: Pick<DeployRequest, 'actor' | 'requestId' | 'ifMatch' | 'onAccepted'>,
): Promise<App> {
  if (app.spec.source.git === undefined) throw refuse('only a service from a git repository is built')
  return acceptDeploy(needs, app, {
    ...request,
    operation: 'build',
    title: 'Build of the branch head',
    change: deployedAgain,
    keepRelease: true,
  })
}

function deployedAgain(app: App): Wanted {
  const deployed = viewOf(app).lastDeployed ?? app.spec
  return { spec: app.spec, deployed, pending: changes(deployed, app.spec, secretEditOf(app) !== undefined) }
}
