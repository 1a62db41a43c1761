/** Deploys every pending change of one environment, one after the other: services, then databases, then buckets. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { actorOf, type Caller } from '../../contract/caller.ts'
import { Problem, refusals } from '../../contract/problem.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { deployTitle } from '../../kinds/apps/deploy/pending-words.ts'
import { pendingChangesOf } from '../../kinds/provision/draft.ts'
import { acceptDeploy, type DeployRequest } from '../../records/apps/accept-deploy.ts'
import { deployDatabase } from '../../records/databases/deploy-database.ts'
import { deployStore } from '../../records/object-stores/deploy-store.ts'
import { recordsOf } from '../../records/place/records-of.ts'
import { judgedStore } from '../../records/store/judged-store.ts'
import type { Needs } from './needs.ts'
import { wakeAccepted } from './wakes.ts'
import type { Writes } from './writes.ts'

type Placed = KubeObject & { spec: { project?: string; environment?: string } }

/**
 * Returns how many records were deployed. Stops at the first refusal, e.g. for want of capacity; what was deployed
 * before stays so, and a repeated call continues (docs/reference/deployments.md#deploying-an-environment).
 * @throws Problem with the name of the service, database or bucket
 */
export async function deployEnvironment(
  needs: Needs,
  { project, environment }: { project: string; environment: string },
  { caller, requestId }: { caller: Caller; requestId: string },
): Promise<number> {
  const { client, records, writes, wakes } = needs
  const asked = { actor: actorOf(caller), requestId }
  // Listed live: another replica may have saved a draft or a change a moment ago.
  const place = { project, environment }
  let deployed = 0
  // A record of this name may by now be another project's, and the caller a token of this project.
  const isHere = (known: KubeObject) => (record: Placed) =>
    record.metadata.uid === known.metadata.uid &&
    record.spec.project === project &&
    record.spec.environment === environment
  const apps = waiting(await recordsOf(client, records.apps, resourceTypes.app, place), pendingChangesOf)
  for (const app of apps) {
    const { name } = app.metadata
    const here = { ...writes, apps: judgedStore(writes.apps, isHere(app), refusals.appNotFound) }
    const onAccepted = wakeAccepted(needs, `deploy of environment ${environment} requested`, asked)
    if (await named(name, deployApp(here, app, { ...asked, onAccepted }))) deployed += 1
  }
  const databases = waiting(await recordsOf(client, records.databases, resourceTypes.database, place), pendingChangesOf)
  for (const database of databases) {
    const { metadata } = database
    const here = { ...writes, databases: judgedStore(writes.databases, isHere(database), 'database not found') }
    if (!(await named(metadata.name, deployDatabase(here, metadata.name, asked)))) continue
    deployed += 1
    wakes.wake('database', metadata.name, { reason: `deploy of environment ${environment} requested`, ...asked })
  }
  const stores = waiting(
    await recordsOf(client, records.objectStores, resourceTypes.objectStore, place),
    pendingChangesOf,
  )
  for (const store of stores) {
    const { metadata } = store
    const here = { ...writes, objectStores: judgedStore(writes.objectStores, isHere(store), 'bucket not found') }
    if (!(await named(metadata.name, deployStore(here, metadata.name, asked)))) continue
    deployed += 1
    wakes.wake('objectStore', metadata.name, { reason: `deploy of environment ${environment} requested`, ...asked })
  }
  return deployed
}

/** Reads the record again: the one in the list is as old as the first deploy of this call. */
async function deployApp(
  writes: Writes,
  app: App,
  asked: Pick<DeployRequest, 'actor' | 'requestId' | 'onAccepted'>,
): Promise<App> {
  const known = await writes.apps.read(app.metadata.name)
  if (known === undefined) throw new Problem('not_found', refusals.appNotFound)
  return acceptDeploy(writes, known, { ...asked, operation: 'deploy', title: deployTitle(app) })
}

/** Puts the name of the record in front of a refusal. False for a record that is gone, or in another place, by now. */
async function named(name: string, deploy: Promise<unknown>): Promise<boolean> {
  try {
    await deploy
    return true
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.code === 'not_found') return false
    if (error.code !== 'invalid_request') throw error
    throw new Problem(error.code, `${name}: ${error.message}`, error.cause)
  }
}

/** The records with pending changes, the oldest first. */
function waiting<T extends KubeObject>(records: readonly T[], pending: (record: T) => readonly string[]): T[] {
  const order = ({ metadata }: T) => `${metadata.creationTimestamp ?? ''} ${metadata.name}`
  return records
    .filter((record) => record.metadata.deletionTimestamp === undefined && pending(record).length > 0)
    .toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
}
