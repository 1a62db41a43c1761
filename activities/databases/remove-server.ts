/** Removes a database: waits while logical databases are on it, then records an Event and deletes all its objects. */
import { isNotFound } from '../../cluster/objects/errors.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { databaseVariant } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { postgresCluster, resourceTypes } from '../../kinds/meta/resource-types.ts'
import { holdsData } from '../kube/apply-storage.ts'
import { recordEvent } from '../kube/event.ts'
import { removedIfGone } from '../kube/if-gone.ts'
import { type Pass, waiting } from '../provision/step.ts'
import type { DatabaseNeeds } from './server.ts'
import { defined } from '../../contract/defined.ts'
import { listExternalLogins } from '../../records/secrets/external-login.ts'

const few = 5

/** Waits for logical databases on the server. The api refuses such a deletion, but kubectl bypasses the api. */
export const awaitTenants =
  (needs: DatabaseNeeds): Pass<Database> =>
  async ({ metadata }) => {
    // Listed live: a logical database that was created a moment ago may not be cached.
    const { items } = await needs.client.list<LogicalDatabase>(resourceTypes.logicalDatabase, {
      namespace: systemNamespace,
    })
    const tenants = items
      .filter(({ spec }) => spec.serverRef === metadata.name)
      .map((tenant) => tenant.metadata.name)
      .sort()
    return tenants.length === 0
      ? undefined
      : waiting(`delete the logical databases on this server first: ${tenants.slice(0, few).join(', ')}`)
  }

/** Deleted first: a pod whose Secret or volume is gone before it would only fail. */
const serving: readonly ResourceType[] = [
  coreTypes.deployment,
  coreTypes.statefulSet,
  postgresCluster,
  coreTypes.service,
]
const kept: readonly ResourceType[] = [coreTypes.persistentVolumeClaim, coreTypes.secret, coreTypes.serviceAccount]

/** Deletes all objects of a database, which an Event names before (docs/reference/databases.md#deleting-a-database). */
export const removeServer =
  (needs: DatabaseNeeds): Pass<Database> =>
  async (database) => {
    const { uid = '' } = database.metadata
    const servers = await ownedOf(needs, database, serving)
    const keeps = [...(await ownedOf(needs, database, kept)), ...(await loginsOf(needs, database))]
    const all = [...servers, ...keeps]
    if (all.length > 0) {
      const message = `removes ${all.map(({ type, object }) => `${type.kind} ${object.metadata.name}`).join(', ')}, and the data with them`
      await recordEvent(
        needs.client,
        database,
        { type: 'Normal', reason: 'Removing', message, occurrence: 'removal' },
        needs.now(),
      )
    }
    for (const each of servers) await removeOne(needs, each)
    const { items: pods } = await needs.client.list<KubeObject>(coreTypes.pod, {
      namespace: homeOf(database.spec),
      labelSelector: `${labels.owner}=${uid}`,
      metadataOnly: true,
    })
    if (servers.length > 0 || pods.length > 0) return waiting('waiting for the server to stop')
    for (const each of keeps) await removeOne(needs, each)
    return keeps.length === 0 ? undefined : waiting('waiting for the volume and the Secrets to go')
  }

/**
 * A pass that creates objects: of a database that is gone by its end none stays. Data that was in use does, as it is
 * deleted only with a record.
 */
export const leavingNothing =
  (needs: DatabaseNeeds, pass: Pass<Database>): Pass<Database> =>
  (database) =>
    removedIfGone(
      { record: database, store: needs.databases },
      () => pass(database),
      async () => {
        const made = await ownedOf(needs, database, [...serving, ...kept])
        for (const each of made) if (!holdsData(each.type, each.object)) await removeOne(needs, each)
      },
    )

interface Owned {
  type: ResourceType
  object: KubeObject
}

async function ownedOf(
  { client }: DatabaseNeeds,
  { metadata, spec }: Database,
  types: readonly ResourceType[],
): Promise<Owned[]> {
  const query = { namespace: homeOf(spec), labelSelector: `${labels.owner}=${metadata.uid ?? ''}`, metadataOnly: true }
  const lists = await Promise.all(
    types.map(async (type) => {
      try {
        return (await client.list<KubeObject>(type, query)).items.map((object) => ({ type, object }))
      } catch (error) {
        if (isNotFound(error)) return [] // the operator is not installed
        throw error
      }
    }),
  )
  return lists.flat()
}

/** Secrets with the login of an external server: the api wrote each before the record, so none has the record's uid. */
async function loginsOf({ client }: DatabaseNeeds, { metadata, spec }: Database): Promise<Owned[]> {
  if (databaseVariant(spec) !== 'connect') return []
  const logins = await listExternalLogins(client, { project: spec.project, database: metadata.name })
  return logins.map((object) => ({ type: coreTypes.secret, object }))
}

/** Deletes with the uid as precondition: another object of the name is not svc's. */
async function removeOne({ client }: DatabaseNeeds, { type, object }: Owned): Promise<void> {
  const { name, namespace, uid, deletionTimestamp } = object.metadata
  if (deletionTimestamp !== undefined) return
  await client.delete({ type, name, ...defined({ namespace }) }, { ...defined({ uid }), propagation: 'Background' })
}
