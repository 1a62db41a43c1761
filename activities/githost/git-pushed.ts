/** Deploys the service whose webhook address a git server called (docs/reference/githost.md#other-git-servers). */
import { Problem } from '../../contract/problem.ts'
import type { GitPushInput } from '../../kinds/apps/git/git-delivery.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { gitWebhookActor } from '../../kinds/apps/git/build-trigger.ts'
import { deliveryRecord } from '../../kinds/apps/git/push.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { lastBuild, refreshLastBuild } from '../context/last-build.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { deployHead } from './deploy-pushed.ts'
import { isOfBranch } from './is-deployed-by.ts'
import type { GitPushed } from './messages.ts'

/**
 * Deploys once for each delivery, however often it is repeated. The body of the delivery decides no commit: the build
 * fetches the head of the branch from the repository of the service.
 */
export const deployGitPushed =
  (needs: ActivityNeeds) =>
  async ({ delivery, app: name, uid, push }: GitPushInput): Promise<GitPushed> => {
    const app = await needs.apps.readLive(name)
    if (app === undefined || app.metadata.uid !== uid) return ignored('the service is gone')
    if (!isOfBranch(app, push)) return ignored('the service does not build what was pushed')
    await refreshLastBuild(needs, app)
    const isDone = (current: App): boolean => isBuilt(needs, current, push.commit)
    try {
      const asked = { requestId: delivery, record: deliveryRecord(app.metadata, delivery), actor: gitWebhookActor }
      const isDeployed = await deployHead(needs, app, { ...asked, title: `Push to ${push.branch}`, isDone })
      return isDeployed ? { outcome: 'deployed', message: `deploys ${name}` } : ignored('the head is deployed already')
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return { outcome: 'refused', message: error.message }
    }
  }

/** Whether the last build succeeded for this commit, as after a later delivery that arrived first. */
function isBuilt(needs: Pick<ActivityNeeds, 'builds'>, app: App, commit: string): boolean {
  const status = lastBuild(needs, app)?.status
  return !viewOf(app).attemptGoesOn && status?.phase === 'Succeeded' && status.sourceRevision === commit
}

const ignored = (message: string): GitPushed => ({ outcome: 'ignored', message })
