/** Removes the records that a test file left: a worker that starts later in the run would process all of them. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { type ComparedKind, comparedKinds, resourceTypes } from '../../kinds/meta/resource-types.ts'
import { reservationsName } from '../../records/apps/reserve-capacity.ts'
import { useStack } from './stack.ts'

const compared = (Object.keys(comparedKinds) as ComparedKind[]).map((kind) => resourceTypes[kind])
const ofTests = [...compared, resourceTypes.deployment, resourceTypes.platformConfig]

/** For files that run without a worker: removes the finalizers, since no controller does. */
export async function forgetRecords(): Promise<void> {
  const { client } = await useStack()
  for (const type of ofTests) {
    const { items } = await client.list<KubeObject>(type, { namespace: systemNamespace, metadataOnly: true })
    await Promise.all(
      items.map(async ({ metadata: { name, finalizers = [] } }) => {
        const ref = { type, namespace: systemNamespace, name }
        if (finalizers.length > 0) await client.patch(ref, { metadata: { finalizers: null } })
        await client.delete(ref)
      }),
    )
  }
  await client.delete({ type: coreTypes.configMap, namespace: systemNamespace, name: reservationsName })
}
