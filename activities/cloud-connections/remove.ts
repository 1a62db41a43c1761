/** Removes a cloud connection, once nothing needs it for its own removal. */
import { usersOf } from '../../kinds/connection-users.ts'
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { isCloudKeysOf } from '../../kinds/secrets/named-secret.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { keysName } from '../../records/cloud-connections/create-connection.ts'
import { removeNamed } from '../../records/secrets/named-secret.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { type Pass, waiting } from '../provision/step.ts'

const namesShown = 5

/** Waits for users of the connection; lists live, since a store that the api created a moment ago may not be cached. */
export const awaitUnused =
  ({ client }: Pick<ActivityNeeds, 'client'>): Pass<CloudConnection> =>
  async ({ metadata }) => {
    const stores = await client.list<ObjectStore>(resourceTypes.objectStore, { namespace: systemNamespace })
    const databases = await client.list<Database>(resourceTypes.database, { namespace: systemNamespace })
    const names = usersOf(metadata.name, stores.items, databases.items)
    if (names.length === 0) return undefined
    return waiting(
      `in use; delete these first: ${names.slice(0, namesShown).join(', ')}${names.length > namesShown ? ' and more' : ''}`,
    )
  }

/**
 * Removes only the Secret that svc wrote for this connection, whatever the spec names: keys of other connections and
 * Secrets made by hand stay.
 */
export const removeKeys =
  ({ client }: Pick<ActivityNeeds, 'client'>): Pass<CloudConnection> =>
  async ({ metadata, spec }) => {
    await removeNamed(client, coreTypes.secret, keysName(metadata.name), isCloudKeysOf(spec.project))
    return undefined
  }
