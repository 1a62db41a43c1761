/**
 * Keeps the RoleBindings that give svc's processes their rights in the namespaces of environments; every step may be
 * repeated.
 */
import type { V1RoleBinding } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import { isAlreadyExists, isConflict, isForbidden, isNotFound } from '../../cluster/objects/errors.ts'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { binds, environmentBindings } from '../../kinds/projects/bindings.ts'

const manager = 'svc'
type Binding = Sent<V1RoleBinding>

/**
 * Creates the missing bindings in one namespace, and corrects those with other subjects. A binding of the same name to
 * another role stays: a roleRef cannot be changed, and only an administrator may delete the binding.
 */
export async function bindEnvironment(client: ClusterClient, { metadata }: KubeObject): Promise<void> {
  for (const wanted of environmentBindings(metadata.name, metadata.labels ?? {})) {
    const live = await client.get<Binding>({
      type: coreTypes.roleBinding,
      namespace: metadata.name,
      name: wanted.metadata.name,
    })
    if (live !== undefined && (binds(live, wanted) || live.roleRef.name !== wanted.roleRef.name)) continue
    try {
      if (live === undefined) await client.create<Binding>(coreTypes.roleBinding, wanted)
      else await client.apply(coreTypes.roleBinding, wanted, { manager, force: true })
    } catch (error) {
      if (!isAlreadyExists(error) && !isConflict(error)) throw error // another worker was first
    }
  }
}

/**
 * As `bindEnvironment`, for every environment of the cluster, e.g. those older than the bindings. Returns how many
 * namespaces were without one.
 */
export async function bindEnvironments(client: ClusterClient): Promise<number> {
  const ours = { labelSelector: `${labels.managedBy}=${managedBySvc},${labels.environment},${labels.owner}` }
  const [namespaces, bindings] = await Promise.all([
    client.list<KubeObject>(coreTypes.namespace, { ...ours, metadataOnly: true }),
    client.list<Binding>(coreTypes.roleBinding, ours),
  ])
  const held = Map.groupBy(bindings.items, ({ metadata }) => metadata.namespace ?? '')
  const isUnbound = ({ metadata }: KubeObject): boolean =>
    metadata.deletionTimestamp === undefined &&
    environmentBindings(metadata.name, {}).some(
      (wanted) => !(held.get(metadata.name) ?? []).some((live) => isNamed(live, wanted) && binds(live, wanted)),
    )
  const lacking = namespaces.items.filter(isUnbound)
  for (const namespace of lacking) {
    try {
      await bindEnvironment(client, namespace)
    } catch (error) {
      if (!isNotFound(error) && !(await isGoing(client, namespace, error))) throw error
    }
  }
  return lacking.length
}

const isNamed = (live: KubeObject, wanted: { metadata: { name: string } }): boolean =>
  live.metadata.name === wanted.metadata.name

/** In a namespace that is being deleted nothing can be created: the API server answers 403. */
async function isGoing(client: ClusterClient, { metadata: { name } }: KubeObject, error: unknown): Promise<boolean> {
  if (!isForbidden(error)) return false
  const live = await client.get<KubeObject>({ type: coreTypes.namespace, name })
  return live === undefined || live.metadata.deletionTimestamp !== undefined
}
