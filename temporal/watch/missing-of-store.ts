/** Which object of a ready object store is missing, by the caches. */
import type { ChildCaches } from '../../activities/context/needs.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { isExternal, isObjectServer } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { rootSecretName, serverName, userSecretName } from '../../kinds/object-stores/names.ts'
import { missingConnection } from './watch-provisioned.ts'

/** The missing one of a store's Secrets, or of the object server's Service, StatefulSet and pod; '' if none is. */
export function missingOfStore(store: ObjectStore, children: ChildCaches): string {
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
