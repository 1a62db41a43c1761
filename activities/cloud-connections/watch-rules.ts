/** The rules by which the watch wakes a cloud connection. */
import type { ResourceCache } from '../../cluster/cache/cache.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { WatchedCaches, WatchRules } from '../provision/watch-rules.ts'

export const connectionWatch = ({ data }: WatchedCaches): WatchRules<CloudConnection> => ({
  missing: (connection) => missingCheck(connection, data.cloudKeys),
  alsoOf: [
    {
      cache: data.cloudKeys,
      recordOf: ({ metadata }) =>
        data.cloudConnections.list().filter(({ spec }) => spec.secretRef.name === metadata.name),
    },
  ],
  // The deletion of a connection waits for the records that use it.
  dependsOn: ({ kind, metadata, spec }, other) =>
    other.kind !== kind && metadata.deletionTimestamp !== undefined && other.spec.project === spec.project,
})

/**
 * The check that is missing if the keys were written after the last one, also while no worker ran. A Secret without
 * svc's label is not watched.
 */
function missingCheck({ spec, status }: CloudConnection, keys: ResourceCache<KubeObject>): string {
  const version = keys.get(spec.secretRef.name, systemNamespace)?.metadata.resourceVersion
  return version === undefined || version === status?.checkedKeys ? '' : `a check of its keys as of ${version}`
}
