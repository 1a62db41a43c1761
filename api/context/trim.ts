/**
 * The fields of nodes, pods and workloads that the caches keep: enough for capacity, readiness and the list of a
 * service's pods.
 */
import type { KubeObject, Meta } from '../../cluster/objects/object.ts'

export interface NodeSeen extends KubeObject {
  spec?: { unschedulable?: boolean; taints?: { key: string; effect: string; value?: string }[] }
  status?: {
    allocatable?: Record<string, string>
    conditions?: { type: string; status: string }[]
  }
}

interface ContainerSeen {
  name: string
  resources?: { requests?: Record<string, string> }
}

export interface PodSeen extends KubeObject {
  spec?: { nodeName?: string; containers?: ContainerSeen[] }
  status?: { phase?: string }
}

export interface WorkloadSeen extends KubeObject {
  spec?: { replicas?: number }
  status?: { replicas?: number; readyReplicas?: number; availableReplicas?: number }
}

export interface ClaimSeen extends KubeObject {
  spec?: { resources?: { requests?: Record<string, string> }; storageClassName?: string }
}

/** Whether a node is ready to run anything. */
export const isReady = ({ status }: NodeSeen): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true

/** Drops the pod template. */
export function trimWorkload({ apiVersion, kind, metadata, spec, status }: WorkloadSeen): WorkloadSeen {
  return {
    apiVersion,
    kind,
    metadata: trimMeta(metadata),
    spec: picked(spec, ['replicas']),
    status: picked(status, ['replicas', 'readyReplicas', 'availableReplicas']),
  }
}

/** Keeps the size and the class. */
export function trimClaim({ apiVersion, kind, metadata, spec }: ClaimSeen): ClaimSeen {
  return { apiVersion, kind, metadata: trimMeta(metadata), spec: picked(spec, ['resources', 'storageClassName']) }
}

/** Drops annotations, images, volumes and addresses. */
export function trimNode({ apiVersion, kind, metadata, spec, status }: NodeSeen): NodeSeen {
  return {
    apiVersion,
    kind,
    metadata: trimMeta(metadata),
    spec: picked(spec, ['unschedulable', 'taints']),
    status: {
      ...picked(status, ['allocatable']),
      conditions: (status?.conditions ?? []).map((condition) => ({ type: condition.type, status: condition.status })),
    },
  }
}

/** Drops environment, volumes, probes and commands: most of a pod, and all that could have secrets in it. */
export function trimPod({ apiVersion, kind, metadata, spec, status }: PodSeen): PodSeen {
  return {
    apiVersion,
    kind,
    metadata: trimMeta(metadata),
    spec: {
      ...picked(spec, ['nodeName']),
      containers: (spec?.containers ?? []).map(({ name, resources }) => ({
        name,
        resources: picked(resources, ['requests']),
      })),
    },
    status: picked(status, ['phase']),
  }
}

function trimMeta(meta: Meta): Meta {
  return picked(meta, [
    'name',
    'namespace',
    'uid',
    'resourceVersion',
    'creationTimestamp',
    'deletionTimestamp',
    'labels',
  ]) as Meta // name is always there
}

/** Some properties of an object; those that are absent stay absent. */
function picked<T extends object, Key extends keyof T>(
  object: T | undefined,
  keys: readonly Key[],
): Partial<Pick<T, Key>> {
  const found: Partial<Pick<T, Key>> = {}
  for (const key of keys) if (object?.[key] !== undefined) found[key] = object[key]
  return found
}
