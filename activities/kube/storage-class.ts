/** Whether volumes can be enlarged, as their StorageClass says. */
import type { V1StorageClass } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'

const defaultClass = 'storageclass.kubernetes.io/is-default-class'

/** Of the class of this name, or of the default one without a name. */
export async function canEnlarge(client: ClusterClient, name: string | undefined): Promise<boolean> {
  const found =
    name === undefined
      ? (await client.list<Sent<V1StorageClass>>(coreTypes.storageClass)).items.find(
          ({ metadata }) => metadata.annotations?.[defaultClass] === 'true',
        )
      : await client.get<Sent<V1StorageClass>>({ type: coreTypes.storageClass, name })
  return found?.allowVolumeExpansion === true
}
