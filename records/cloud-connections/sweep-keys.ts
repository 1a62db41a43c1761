/** Deletes keys without a cloud connection: the api died before it wrote one, or the connection is gone. */
import type { ClusterClient } from '../../cluster/client.ts'
import { isConflict } from '../../cluster/objects/errors.ts'
import { type KubeObject, sentVersionOf } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { secretPurposes } from '../../kinds/secrets/named-secret.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { keysName } from './create-connection.ts'

/**
 * Returns how many Secrets were deleted. Those written (or without a time, created) at or after `before`, in
 * milliseconds since 1970, stay; so do those that are written meanwhile.
 */
export async function sweepKeys(client: ClusterClient, before: number): Promise<number> {
  const { items } = await client.list<KubeObject>(coreTypes.secret, {
    namespace: systemNamespace,
    labelSelector: `${labels.purpose}=${secretPurposes.cloudKeys}`,
    metadataOnly: true,
  })
  let swept = 0
  for (const { metadata } of items) {
    const { name, creationTimestamp = '' } = metadata
    if (Date.parse(metadata.annotations?.[annotations.writtenAt] ?? creationTimestamp) >= before) continue
    const connection = await client.get({
      type: resourceTypes.cloudConnection,
      namespace: systemNamespace,
      name: connectionOf(name),
    })
    if (connection !== undefined) continue
    try {
      if (
        await client.delete({ type: coreTypes.secret, namespace: systemNamespace, name }, sentVersionOf({ metadata }))
      )
        swept += 1
    } catch (error) {
      if (!isConflict(error)) throw error
    }
  }
  return swept
}

const connectionOf = (secret: string): string => secret.slice(0, -keysName('').length)
