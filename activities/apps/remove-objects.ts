/** Deletes what was made for a service in one namespace, found by the owner's uid. */

import type { KubeObject } from '../../cluster/object.ts'
import { labels } from '../../kinds/annotations.ts'
import { childKinds, childOf } from '../apply-child.ts'
import type { ActivityNeeds } from '../needs.ts'

/** Does not wait for copies to stop. A namespace that is gone took everything along. */
export async function removeObjectsIn(needs: ActivityNeeds, namespace: string, owner: string): Promise<void> {
  if (needs.children.namespaces.get(namespace) === undefined) return
  for (const kind of childKinds) {
    const { type } = childOf(kind)
    const { items } = await needs.client.list<KubeObject>(type, { namespace, labelSelector: `${labels.owner}=${owner}`, metadataOnly: true })
    await Promise.all(
      items
        .filter((item) => item.metadata.deletionTimestamp === undefined)
        .map((item) => needs.client.delete({ type, namespace, name: item.metadata.name }, { propagation: 'Background' })),
    )
  }
}
