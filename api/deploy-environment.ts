/** Deploys every pending change of one environment, one after the other: services, then databases, then buckets. */
import { actorOf } from '../contract/caller.ts'
import type { Caller } from '../contract/caller.ts'
import { Problem } from '../contract/problem.ts'
import type { KubeObject } from '../cluster/object.ts'
import { deployTitle } from '../kinds/apps/deploy-title.ts'
import { pendingChanges } from '../kinds/apps/effective-spec.ts'
import { undeployedWords } from '../kinds/draft.ts'
import { acceptDeploy } from '../records/apps/accept-deploy.ts'
import { deployDatabase } from '../records/databases/deploy-database.ts'
import { deployStore } from '../records/object-stores/deploy-store.ts'
import { byPlace, placeKey } from './caches.ts'
import type { Needs } from './needs.ts'

/**
 * How many were deployed. Stops at the first that is refused, e.g. for lack of room, and keeps what it deployed before
 * ("stops with 400 at the first item lacking room"); asking again goes on from there.
 * @throws Problem naming the service, database or bucket
 */
export async function deployEnvironment(
  needs: Needs,
  { project, environment }: { project: string; environment: string },
  { caller, requestId }: { caller: Caller; requestId: string },
): Promise<number> {
  const { caches, writes, hints } = needs
  const asked = { actor: actorOf(caller), requestId }
  const place = placeKey(project, environment)
  const apps = waiting(caches.apps.by(byPlace, place), pendingChanges)
  for (const app of apps) {
    const { name } = app.metadata
    await named(name, acceptDeploy(writes, name, { operation: 'deploy', title: deployTitle(app), ...asked }))
    hints.hint('app', name, { reason: `deploy of environment ${environment} requested`, ...asked })
  }
  const databases = waiting(caches.databases.by(byPlace, place), undeployedWords)
  for (const { metadata } of databases) {
    await named(metadata.name, deployDatabase(writes, metadata.name, asked))
    hints.hint('database', metadata.name, { reason: `deploy of environment ${environment} requested`, ...asked })
  }
  const stores = waiting(caches.objectStores.by(byPlace, place), undeployedWords)
  for (const { metadata } of stores) {
    await named(metadata.name, deployStore(writes, metadata.name, asked))
    hints.hint('objectStore', metadata.name, { reason: `deploy of environment ${environment} requested`, ...asked })
  }
  return apps.length + databases.length + stores.length
}

/** A refusal says what it is about. */
async function named(name: string, deploy: Promise<unknown>): Promise<void> {
  try {
    await deploy
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'invalid_request') throw error
    throw new Problem(error.code, `${name}: ${error.message}`, error.cause)
  }
}

/** What is not deployed yet, the oldest first. */
function waiting<T extends KubeObject>(records: readonly T[], pending: (record: T) => readonly string[]): T[] {
  const order = ({ metadata }: T) => `${metadata.creationTimestamp ?? ''} ${metadata.name}`
  return records
    .filter((record) => record.metadata.deletionTimestamp === undefined && pending(record).length > 0)
    .toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
}
