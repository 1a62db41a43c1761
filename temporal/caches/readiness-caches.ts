/**
 * The caches of the cluster itself: nodes, storage classes, the add-ons that high availability needs, and the record
 * with the result.
 */
import type { CacheOptions, ResourceCache } from '../../cluster/cache/cache.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { Cluster } from '../../kinds/clusters/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { HaReadiness } from '../../kinds/ha-readiness/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { defined } from '../../contract/defined.ts'

export type NodeHealth = KubeObject & {
  status?: { conditions?: { type: string; status: string }[]; addresses?: { type: string; address: string }[] }
}

export interface ReadinessCaches {
  nodes: ResourceCache<NodeHealth>
  storageClasses: ResourceCache<KubeObject>
  ingressClasses: ResourceCache<KubeObject>
  /** Only the CustomResourceDefinition of CloudNativePG's clusters. */
  postgresOperator: ResourceCache<KubeObject>
  clusters: ResourceCache<Cluster>
  readiness: ResourceCache<HaReadiness>
}

/** Creates one cache of the worker. */
export type MakeCache = <T extends KubeObject>(options: Omit<CacheOptions<T>, 'client' | 'log'>) => ResourceCache<T>

export function createReadinessCaches(made: MakeCache): ReadinessCaches {
  return {
    nodes: made<NodeHealth>({ type: coreTypes.node, trim: trimNode }),
    storageClasses: made({ type: coreTypes.storageClass, metadataOnly: true }),
    ingressClasses: made({ type: coreTypes.ingressClass, metadataOnly: true }),
    postgresOperator: made({
      type: coreTypes.customResourceDefinition,
      fieldSelector: 'metadata.name=clusters.postgresql.cnpg.io',
      metadataOnly: true,
    }),
    clusters: made<Cluster>({ type: resourceTypes.cluster, namespace: systemNamespace }),
    readiness: made<HaReadiness>({ type: resourceTypes.haReadiness, namespace: systemNamespace }),
  }
}

/** Keeps name, addresses and readiness of a node: kubelets write the rest often, and no rule needs it. */
function trimNode({ apiVersion, kind, metadata, status }: NodeHealth): NodeHealth {
  const { name, uid, resourceVersion } = metadata
  const conditions = (status?.conditions ?? [])
    .filter(({ type }) => type === 'Ready')
    .map(({ type, status: value }) => ({ type, status: value }))
  const addresses = (status?.addresses ?? []).filter(({ type }) => type === 'ExternalIP' || type === 'InternalIP')
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...defined({ uid, resourceVersion }),
    },
    status: { conditions, addresses },
  }
}
