/** Whether volumes can be enlarged, by their StorageClass. */
import type { V1StorageClass } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'

const defaultClass = 'storageclass.kubernetes.io/is-default-class'

/** Whether the StorageClass of this name, or without a name the default one, allows volume expansion. */
export async function canEnlarge(client: ClusterClient, name: string | undefined): Promise<boolean> {
  const found =
    name === undefined
      ? (await client.list<Sent<V1StorageClass>>(coreTypes.storageClass)).items.find(
          ({ metadata }) => metadata.annotations?.[defaultClass] === 'true',
        )
      : await client.get<Sent<V1StorageClass>>({ type: coreTypes.storageClass, name })
  return found?.allowVolumeExpansion === true
}
