/** Deletes what was made for a service in one namespace, found by the owner's uid. */

import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { childKinds, childOf } from '../kube/apply-child.ts'
import type { ActivityNeeds } from '../context/needs.ts'

/** A namespace counts as absent only when the cluster says so: the cache may not have it yet. */
export async function isThere(
  { client, children }: Pick<ActivityNeeds, 'client' | 'children'>,
  namespace: string,
): Promise<boolean> {
  return (
    children.namespaces.get(namespace) !== undefined ||
    (await client.get({ type: coreTypes.namespace, name: namespace })) !== undefined
  )
}

/** Does not wait for copies to stop. A namespace that is gone took everything along. */
export async function removeObjectsIn(needs: ActivityNeeds, namespace: string, owner: string): Promise<void> {
  if (!(await isThere(needs, namespace))) return
  for (const kind of childKinds) {
    const { type } = childOf(kind)
    const { items } = await needs.client.list<KubeObject>(type, {
      namespace,
      labelSelector: `${labels.owner}=${owner}`,
      metadataOnly: true,
    })
    await Promise.all(
      items
        .filter((item) => item.metadata.deletionTimestamp === undefined)
        .map((item) =>
          needs.client.delete({ type, namespace, name: item.metadata.name }, { propagation: 'Background' }),
        ),
    )
  }
}
