/** The rules by which the watch wakes an object store. */
import { usersOf } from '../../kinds/connection-users.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { isExternal, isObjectServer } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { rootSecretName, serverName, userSecretName } from '../../kinds/object-stores/names.ts'
import type { ChildCaches } from '../context/needs.ts'
import {
  isBackupOf,
  isConnection,
  missingConnection,
  type WatchedCaches,
  type WatchRules,
} from '../provision/watch-rules.ts'

export const objectStoreWatch = ({ children }: WatchedCaches): WatchRules<ObjectStore> => ({
  missing: (store) => missingOfStore(store, children),
  // Buckets wait for the server, and the server's deletion for its buckets; remote ones wait for their connection,
  // and a deletion for a last backup.
  dependsOn: (store, other) =>
    other.kind === store.kind
      ? isObjectServer(other.spec) !== isObjectServer(store.spec)
      : isBackupOf(other, store.metadata.name, 'ObjectStore') ||
        (isConnection(other) && usersOf(other.metadata.name, [store], []).length > 0),
})

/** The missing one of a store's Secrets, or of the object server's Service, StatefulSet and pod; '' if none is. */
function missingOfStore(store: ObjectStore, children: ChildCaches): string {
  const missing = missingConnection(store, children)
  if (missing !== '' || isExternal(store.spec)) return missing
  const { connectionSecrets, services, statefulSets } = children
  const {
    metadata: { name },
    spec,
  } = store
  const secret = isObjectServer(spec) ? rootSecretName(name) : userSecretName(name)
  if (connectionSecrets.isMissing(secret, systemNamespace)) return `Secret ${secret}`
  if (!isObjectServer(spec)) return ''
  if (services.get(serverName, systemNamespace) === undefined) return `Service ${serverName}`
  const set = statefulSets.get(serverName, systemNamespace)
  if (set === undefined) return `StatefulSet ${serverName}`
  return (set.status?.readyReplicas ?? 0) === 0 ? `a pod of ${serverName}` : ''
}
