/** How the API server addresses a kind of object, and the built-in kinds svc works with. */
import type { KubeObject } from './object.ts'

export interface ResourceType {
  /** '' for the core group. */
  group: string
  version: string
  kind: string
  plural: string
  namespaced: boolean
}

const namespaced = (group: string, version: string, kind: string, plural: string): ResourceType => ({
  group,
  version,
  kind,
  plural,
  namespaced: true,
})

const clusterWide = (group: string, version: string, kind: string, plural: string): ResourceType => ({
  group,
  version,
  kind,
  plural,
  namespaced: false,
})

export const coreTypes = {
  namespace: clusterWide('', 'v1', 'Namespace', 'namespaces'),
  node: clusterWide('', 'v1', 'Node', 'nodes'),
  customResourceDefinition: clusterWide(
    'apiextensions.k8s.io',
    'v1',
    'CustomResourceDefinition',
    'customresourcedefinitions',
  ),
  storageClass: clusterWide('storage.k8s.io', 'v1', 'StorageClass', 'storageclasses'),
  ingressClass: clusterWide('networking.k8s.io', 'v1', 'IngressClass', 'ingressclasses'),
  secret: namespaced('', 'v1', 'Secret', 'secrets'),
  configMap: namespaced('', 'v1', 'ConfigMap', 'configmaps'),
  service: namespaced('', 'v1', 'Service', 'services'),
  serviceAccount: namespaced('', 'v1', 'ServiceAccount', 'serviceaccounts'),
  pod: namespaced('', 'v1', 'Pod', 'pods'),
  event: namespaced('', 'v1', 'Event', 'events'),
  persistentVolumeClaim: namespaced('', 'v1', 'PersistentVolumeClaim', 'persistentvolumeclaims'),
  deployment: namespaced('apps', 'v1', 'Deployment', 'deployments'),
  replicaSet: namespaced('apps', 'v1', 'ReplicaSet', 'replicasets'),
  statefulSet: namespaced('apps', 'v1', 'StatefulSet', 'statefulsets'),
  ingress: namespaced('networking.k8s.io', 'v1', 'Ingress', 'ingresses'),
  networkPolicy: namespaced('networking.k8s.io', 'v1', 'NetworkPolicy', 'networkpolicies'),
  horizontalPodAutoscaler: namespaced('autoscaling', 'v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers'),
  podDisruptionBudget: namespaced('policy', 'v1', 'PodDisruptionBudget', 'poddisruptionbudgets'),
  job: namespaced('batch', 'v1', 'Job', 'jobs'),
  roleBinding: namespaced('rbac.authorization.k8s.io', 'v1', 'RoleBinding', 'rolebindings'),
  limitRange: namespaced('', 'v1', 'LimitRange', 'limitranges'),
  resourceQuota: namespaced('', 'v1', 'ResourceQuota', 'resourcequotas'),
  lease: namespaced('coordination.k8s.io', 'v1', 'Lease', 'leases'),
} satisfies Record<string, ResourceType>

/** `v1`, `apps/v1`: the apiVersion field of an object of this type. */
export function apiVersionOf(type: ResourceType): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`
}

/** Items of a list and metadata-only objects do not say what they are. */
export function withKind<T extends KubeObject>(type: ResourceType, object: T): T {
  if (object.kind !== undefined && object.kind !== 'PartialObjectMetadata') return object
  return { ...object, apiVersion: apiVersionOf(type), kind: type.kind }
}
