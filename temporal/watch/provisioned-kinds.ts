/** What the watch looks at for each kind that is provisioned. */

import { isObjectServer, storeRules } from '../../kinds/object-stores/in-force.ts'
import type { WorkerCaches } from '../worker-caches.ts'
import { lacksConnection, type ProvisionedKinds, watched } from './watch-provisioned.ts'

export const provisionedKinds = ({ data, children }: WorkerCaches): ProvisionedKinds[] => [
  watched({
    kind: 'objectStore',
    cache: data.objectStores,
    rules: storeRules,
    lacks: (store) => lacksConnection(store, children),
    // Buckets wait for the server, and the server's deletion for its buckets.
    dependsOn: (store, other) => other.kind === store.kind && isObjectServer(other.spec) !== isObjectServer(store.spec),
  }),
]
