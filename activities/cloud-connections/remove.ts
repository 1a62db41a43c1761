/** Takes a cloud connection away, once nothing needs it to be taken down itself. */

import { usersOf } from '../../kinds/connection-users.ts'
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import { labels } from '../../kinds/annotations.ts'
import { coreTypes } from '../../cluster/resource-type.ts'
import type { KubeObject } from '../../cluster/object.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { systemNamespace } from '../../kinds/group.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { resourceTypes } from '../../kinds/resource-types.ts'
import { keysPurpose } from '../../records/cloud-connections/create-connection.ts'
import type { ActivityNeeds } from '../needs.ts'
import { type Pass, waiting } from '../provision-step.ts'

const namesShown = 5

/** Live: a store that another process made this moment is not in memory yet. */
export const awaitUnused =
  ({ client }: Pick<ActivityNeeds, 'client'>): Pass<CloudConnection> =>
  async ({ metadata }) => {
    const stores = await client.list<ObjectStore>(resourceTypes.objectStore, { namespace: systemNamespace })
    const databases = await client.list<Database>(resourceTypes.database, { namespace: systemNamespace })
    const names = usersOf(metadata.name, stores.items, databases.items)
    if (names.length === 0) return undefined
    return waiting(`in use; delete these first: ${names.slice(0, namesShown).join(', ')}${names.length > namesShown ? ' and more' : ''}`)
  }

/** Only the Secret that was written for connections; one that somebody made and named in the spec stays. */
export const removeKeys =
  ({ client }: Pick<ActivityNeeds, 'client'>): Pass<CloudConnection> =>
  async ({ spec }) => {
    const ref = { type: coreTypes.secret, namespace: systemNamespace, name: spec.secretRef.name }
    const secret = await client.get<KubeObject>(ref)
    if (secret?.metadata.uid === undefined || secret.metadata.labels?.[labels.purpose] !== keysPurpose) return undefined
    await client.delete(ref, { uid: secret.metadata.uid })
    return undefined
  }
