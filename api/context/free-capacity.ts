/** The capacity of the nodes, and how much of it is free. */
import { nodesCapacity, podsRequests } from '../../kinds/apps/deploy/capacity.ts'
import type { Caches } from './caches.ts'

export interface FreeCapacity {
  readonly cpuAllocatableMillis: number
  readonly cpuFreeMillis: number
  readonly memoryAllocatableBytes: number
  readonly memoryFreeBytes: number
}

/** Null until the caches of nodes and pods have their first list. */
export function freeCapacity({ nodes, pods }: Pick<Caches, 'nodes' | 'pods'>): FreeCapacity | null {
  if (!nodes.synced || !pods.synced) return null
  const all = nodesCapacity(nodes.list())
  const taken = podsRequests(pods.list())
  return {
    cpuAllocatableMillis: all.cpuMillis,
    cpuFreeMillis: Math.max(0, all.cpuMillis - taken.cpuMillis),
    memoryAllocatableBytes: all.memoryBytes,
    memoryFreeBytes: Math.max(0, all.memoryBytes - taken.memoryBytes),
  }
}
