/** Deploys the services that build the pushed branch (docs/reference/githost.md#pushes). */
import { defined } from '../../contract/defined.ts'
import { Problem } from '../../contract/problem.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { changes } from '../../kinds/apps/spec/draft.ts'
import { secretEditOf } from '../../kinds/apps/spec/secret-edit.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { gitHostActor } from '../../kinds/apps/git/build-trigger.ts'
import { deliveryRecord, missedPushId, type Push, type PushInput } from '../../kinds/apps/git/push.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { acceptDeploy, type Wanted } from '../../records/apps/accept-deploy.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { isDeployedBy } from './is-deployed-by.ts'
import type { Pushed } from './messages.ts'

/**
 * Services are found in the cache: one that is not cached yet builds the head of its branch by its first deploy.
 * Whether the environment is connected to the installation is read live.
 */
export const deployPushed =
  (needs: ActivityNeeds) =>
  async ({ delivery, push }: PushInput): Promise<Pushed> => {
    const pushed: Pushed = { deployed: [], refused: [] }
    for (const app of needs.apps.cache.list()) {
      if (!isDeployedBy(app, push, needs.gitHost.web) || !(await isConnected(needs, app, push))) continue
      const { name } = app.metadata
      try {
        await deployOne(needs, app, delivery, push)
        pushed.deployed.push(name)
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        pushed.refused.push(`${name}: ${error.message}`)
      }
    }
    return pushed
  }

async function isConnected({ projects }: ActivityNeeds, { spec }: App, { installation }: Push): Promise<boolean> {
  const links = (await projects.readLive(spec.project))?.spec.gitHosts ?? []
  return links.some((link) => link.environment === spec.environment && link.installation === installation)
}

/** Deploys once for each delivery, however often it is repeated; not if a resync has deployed the push before. */
async function deployOne(needs: ActivityNeeds, app: App, delivery: string, push: Push): Promise<void> {
  const isDone = (current: App): boolean => viewOf(current).attempt?.requestId === missedPushId(push.commit)
  const record = deliveryRecord(app.metadata, delivery)
  await deployHead(needs, app, { requestId: delivery, record, title: titleOf(push), isDone })
}

export const titleOf = ({ commit, branch }: Pick<Push, 'commit' | 'branch'>): string =>
  `Push of ${commit.slice(0, 7)} to ${branch}`

interface HeadDeploy {
  requestId: string
  /** Name of the deployment record for a delivery: if it exists, an earlier try has deployed the delivery. */
  record?: string
  title: string
  actor?: string
  isDone: (current: App) => boolean
}

/**
 * Deploys the head of the branch; false if that was done already, checked again on the version of the record that is
 * written. Pending changes stay pending.
 */
export async function deployHead(
  needs: ActivityNeeds,
  app: App,
  { requestId, record, title, actor = gitHostActor, isDone }: HeadDeploy,
): Promise<boolean> {
  const { deployments } = needs
  const wasAccepted = (current: App): boolean => {
    const { attempt } = viewOf(current)
    if (attempt?.requestId === requestId) return true
    if (record === undefined) return false
    const named = [attempt?.supersedes, ...(attempt?.alsoSupersedes ?? [])]
    return named.includes(record) || deployments.cache.get(record, systemNamespace) !== undefined
  }
  const isOver = (current: App): boolean => wasAccepted(current) || isDone(current)
  if (record !== undefined) await deployments.read(record)
  if (isOver(app)) return false
  const change = (current: App): Wanted => {
    if (isOver(current)) throw new Done()
    const deployed = viewOf(current).lastDeployed ?? current.spec
    const pending = changes(deployed, current.spec, secretEditOf(current) !== undefined)
    return { spec: current.spec, deployed, pending }
  }
  const request = {
    operation: 'deploy' as const,
    actor,
    requestId,
    ...defined({ record }),
    title,
    change,
    keepRelease: true,
  }
  try {
    await acceptDeploy(needs, app, request)
    return true
  } catch (error) {
    if (error instanceof Done) return false
    throw error
  }
}

/** Another try of the same activity has deployed it already. */
class Done extends Error {}
