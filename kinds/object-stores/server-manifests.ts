/**
 * The objects of the object server on the cluster: pure makers from the effective spec. The activities that write them
 * decide nothing.
 */
import type { V1PersistentVolumeClaim, V1Service, V1StatefulSet } from '@kubernetes/client-node'
import { objectServerStorage } from '../../contract/limits.ts'
import { annotations, labels, managedBySvc } from '../meta/annotations.ts'
import { systemNamespace } from '../meta/group.ts'
import { choiceKey, type NodeChoice, nodeSelectorOf } from '../placement/node-choice.ts'
import { tagTolerations } from '../placement/node-tags.ts'
import type { ObjectStoreSpec } from './kind.ts'
import { rootSecretName, serverName, serverPort } from './names.ts'
import { nonRootPod } from '../pods/security.ts'

/** Everything a maker needs besides the spec. */
export interface ServerPlacing {
  name: string
  uid: string
  image: string
  /** Uid of the root Secret: another one restarts the server, which reads its login only at the start. */
  rootUid: string
  nodes: NodeChoice
}

const dataPath = '/data'
/** Any unprivileged user will do: the volume gets this group. */
const runAs = 1000

export type ServerManifest = (V1Service | V1PersistentVolumeClaim | V1StatefulSet) & {
  kind: string
  apiVersion: string
  metadata: { name: string; namespace: string; labels: Record<string, string>; annotations?: Record<string, string> }
}

/** The labels of everything made for the record. */
export const serverLabels = ({ uid }: Pick<ServerPlacing, 'uid'>): Record<string, string> => ({
  [labels.managedBy]: managedBySvc,
  [labels.owner]: uid,
})

/** The objects in the order in which they are applied. */
export function serverObjects(spec: Pick<ObjectStoreSpec, 'resources'>, placing: ServerPlacing): ServerManifest[] {
  return [volumeClaim(placing), service(placing), statefulSet(spec, placing)]
}

function meta(placing: ServerPlacing) {
  return { name: serverName, namespace: systemNamespace, labels: serverLabels(placing) }
}

function volumeClaim(placing: ServerPlacing) {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: meta(placing),
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: objectServerStorage } } },
  } satisfies V1PersistentVolumeClaim
}

function service(placing: ServerPlacing) {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: meta(placing),
    spec: {
      selector: { [labels.owner]: placing.uid },
      ports: [{ name: 's3', port: serverPort, targetPort: 's3', protocol: 'TCP' }],
    },
  } satisfies V1Service
}

function statefulSet(spec: Pick<ObjectStoreSpec, 'resources'>, placing: ServerPlacing) {
  const { nodes } = placing
  const key = choiceKey(nodes)
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { ...meta(placing), ...(key === '' ? {} : { annotations: { [annotations.nodeChoice]: key } }) },
    spec: {
      replicas: 1,
      serviceName: serverName,
      // With OrderedReady, a pod that never gets ready would keep a corrected template from being used.
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: { [labels.owner]: placing.uid } },
      template: {
        metadata: { labels: serverLabels(placing), annotations: { [annotations.credentials]: placing.rootUid } },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: { ...nonRootPod(runAs), fsGroup: runAs },
          nodeSelector: nodeSelectorOf(nodes),
          tolerations: tagTolerations(nodes.tags),
          containers: [container(spec, placing)],
          volumes: [
            { name: 'data', persistentVolumeClaim: { claimName: serverName } },
            { name: 'scratch', emptyDir: {} },
          ],
        },
      },
    },
  } satisfies V1StatefulSet
}

function container(
  { resources: { requests, limits } }: Pick<ObjectStoreSpec, 'resources'>,
  { name, image }: ServerPlacing,
) {
  const fromRoot = (key: string) => ({ secretKeyRef: { name: rootSecretName(name), key } })
  return {
    name: 'minio',
    image,
    imagePullPolicy: 'IfNotPresent',
    command: ['minio', 'server', dataPath, '--address', `:${serverPort}`],
    env: [
      { name: 'MINIO_ROOT_USER', valueFrom: fromRoot('username') },
      { name: 'MINIO_ROOT_PASSWORD', valueFrom: fromRoot('password') },
      { name: 'MINIO_BROWSER', value: 'off' },
      { name: 'MINIO_UPDATE', value: 'off' },
      { name: 'HOME', value: '/scratch' },
    ],
    ports: [{ name: 's3', containerPort: serverPort, protocol: 'TCP' }],
    readinessProbe: {
      httpGet: { path: '/minio/health/ready', port: 's3' },
      periodSeconds: 2,
      timeoutSeconds: 2,
      failureThreshold: 3,
    },
    livenessProbe: {
      httpGet: { path: '/minio/health/live', port: 's3' },
      initialDelaySeconds: 30,
      periodSeconds: 20,
      timeoutSeconds: 5,
      failureThreshold: 3,
    },
    resources: { requests, limits: { cpu: limits?.cpu ?? requests.cpu, memory: limits?.memory ?? requests.memory } },
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    volumeMounts: [
      { name: 'data', mountPath: dataPath },
      { name: 'scratch', mountPath: '/scratch' },
    ],
  }
}
