/** Deploys every pending change of one environment, one service after the other. */
import { actorOf } from '../contract/caller.ts'
import type { Caller } from '../contract/caller.ts'
import { Problem } from '../contract/problem.ts'
import { deployTitle } from '../kinds/apps/deploy-title.ts'
import { pendingChanges } from '../kinds/apps/effective-spec.ts'
import type { App } from '../kinds/apps/kind.ts'
import { acceptDeploy } from '../records/apps/accept-deploy.ts'
import { byPlace, placeKey } from './caches.ts'
import type { Needs } from './needs.ts'

/**
 * How many were deployed. Stops at the first that is refused, e.g. for lack of room, and keeps what it deployed before
 * ("stops with 400 at the first item lacking room"); asking again goes on from there.
 * @throws Problem naming the service
 */
export async function deployEnvironment(
  needs: Needs,
  { project, environment }: { project: string; environment: string },
  { caller, requestId }: { caller: Caller; requestId: string },
): Promise<number> {
  const actor = actorOf(caller)
  const pending = needs.caches.apps.by(byPlace, placeKey(project, environment)).filter(waits).toSorted(oldestFirst)
  for (const app of pending) {
    const { name } = app.metadata
    try {
      await acceptDeploy(needs.writes, name, { operation: 'deploy', title: deployTitle(app), actor, requestId })
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'invalid_request') throw error
      throw new Problem(error.code, `${name}: ${error.message}`, error.cause)
    }
    needs.hints.hint('app', name, { reason: `deploy of environment ${environment} requested`, actor, requestId })
  }
  return pending.length
}

const waits = (app: App): boolean => app.metadata.deletionTimestamp === undefined && pendingChanges(app).length > 0

function oldestFirst(a: App, b: App): number {
  const order = (app: App) => `${app.metadata.creationTimestamp ?? ''} ${app.metadata.name}`
  return order(a) < order(b) ? -1 : 1
}
