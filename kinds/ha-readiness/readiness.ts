/** Whether the cluster can carry highly available workloads, and what is missing, from its nodes and add-ons. */
import type { ReadyReason } from '../meta/condition-reasons.ts'
import { readyOf, type Verdict } from '../meta/conditions.ts'
import type { Condition } from '../meta/resource.ts'
import type { HaReadinessStatus } from './kind.ts'

/**
 * High availability needs three ready nodes, a storage class, and a ready cluster and add-ons
 * (docs/reference/nodes.md#high-availability).
 */
const nodesNeeded = 3

/** The name of the only record of this kind. */
export const readinessName = 'platform'

export interface ClusterShown {
  readonly nodes: readonly { status?: { conditions?: { type: string; status: string }[] } }[]
  readonly storageClasses: number
  /** Conditions of the SvcCluster `default`; undefined while there is none. */
  readonly cluster: readonly Condition[] | undefined
  /** Whether each add-on is installed, by its common name. */
  readonly addons: Readonly<Record<string, boolean>>
}

export type Readiness = Required<
  Pick<HaReadinessStatus, 'ready' | 'healthyNodes' | 'storageClassReady' | 'clusterReady' | 'addonsReady'>
>

export function readinessOf({ nodes, storageClasses, cluster, addons }: ClusterShown): {
  facts: Readiness
  verdict: Verdict<ReadyReason<'haReadiness'>>
} {
  const healthyNodes = nodes.filter(isReady).length
  const storageClassReady = storageClasses > 0
  const clusterReady = readyOf(cluster)?.status === 'True'
  const missingAddons = Object.entries(addons).flatMap(([name, there]) => (there ? [] : [name]))
  const missing = [
    ...(healthyNodes < nodesNeeded ? [`${healthyNodes} of ${nodesNeeded} ready nodes`] : []),
    ...(storageClassReady ? [] : ['no storage class']),
    ...(clusterReady ? [] : ['the cluster is not ready']),
    ...missingAddons.map((name) => `${name} is not installed`),
  ]
  const ready = missing.length === 0
  return {
    facts: { ready, healthyNodes, storageClassReady, clusterReady, addonsReady: missingAddons.length === 0 },
    verdict: ready
      ? { ready, reason: 'Ready', message: 'The cluster can carry highly available workloads' }
      : { ready, reason: 'Lacking', message: `Not highly available: ${missing.join(', ')}` },
  }
}

const isReady = ({ status }: ClusterShown['nodes'][number]): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true
