/**
 * The contents of svc-system: to check that a refused request left nothing behind, and to remove what the tests made.
 */
import type { ClusterClient } from '../../cluster/client.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { reservationsName } from '../../records/apps/reserve-capacity.ts'

const types: readonly ResourceType[] = [
  resourceTypes.app,
  resourceTypes.project,
  resourceTypes.database,
  resourceTypes.logicalDatabase,
  resourceTypes.objectStore,
  resourceTypes.deployment,
  resourceTypes.build,
  resourceTypes.cloudConnection,
  resourceTypes.platformConfig,
  coreTypes.secret,
  coreTypes.configMap,
]

/** From e.g. `svcapps/shop` to its resourceVersion. */
export type Kept = ReadonlyMap<string, string>

/** The last answer, and the revision of the cluster before it was read. */
let last: { readonly revision: string; readonly kept: Kept } | undefined

/** Lists again only where anything in the cluster was written since the last call: most calls follow a refusal. */
export async function keptNow(client: ClusterClient): Promise<Kept> {
  const revision = await revisionOf(client)
  if (last?.revision !== revision) {
    const lists = await Promise.all(types.map(async (type) => versionsOf(client, type)))
    last = { revision, kept: new Map(lists.flat()) }
  }
  return last.kept
}

/** Every write in a cluster, of whatever kind, has a revision of its own; each list names the newest. */
async function revisionOf(client: ClusterClient): Promise<string> {
  const { resourceVersion } = await client.list(coreTypes.configMap, { namespace: 'nothing-is-here', limit: 1 })
  return resourceVersion
}

async function versionsOf(client: ClusterClient, type: ResourceType): Promise<[string, string][]> {
  const { items } = await client.list(type, { namespace: systemNamespace, metadataOnly: true })
  return items.map(({ metadata: { name, uid = '', resourceVersion = '' } }) => {
    // A refused request may change only this: when its token was last used.
    const isToken = type === coreTypes.secret && name.startsWith('svc-token-')
    return [`${type.plural}/${name}`, isToken ? uid : resourceVersion]
  })
}

/** `changed svcapps/shop`, `new secrets/x`, `gone ...`; empty when nothing differs. */
export function differences(before: Kept, after: Kept): string[] {
  const fresh = [...after].filter(([key]) => !before.has(key)).map(([key]) => `new ${key}`)
  const others = [...before].flatMap(([key, version]) => {
    const now = after.get(key)
    return now === undefined ? [`gone ${key}`] : now === version ? [] : [`changed ${key}`]
  })
  return [...fresh, ...others]
}

/** Removes all that is new since `before`, finalizers included, so that no worker of another test acts on it. */
export async function removeSince(client: ClusterClient, before: Kept): Promise<void> {
  const fresh = [...(await keptNow(client)).keys()].filter((key) => !before.has(key))
  const reserved = `${coreTypes.configMap.plural}/${reservationsName}`
  for (const key of new Set([...fresh, reserved])) {
    const type = types.find(({ plural }) => key.startsWith(`${plural}/`))
    if (type === undefined) continue
    const ref = { type, namespace: systemNamespace, name: key.slice(type.plural.length + 1) }
    if (type.group !== '') await client.patch(ref, { metadata: { finalizers: null } }).catch(ignoreMissing)
    await client.delete(ref)
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'status' in error && error.status === 404)) throw error
}
