/**
 * The objects of a database server on the cluster: pure makers from its spec, the uid of its record and its placing.
 */
import type {
  V1Container,
  V1PersistentVolumeClaim,
  V1Probe,
  V1Service,
  V1ServiceAccount,
  V1StatefulSet,
} from '@kubernetes/client-node'
import { annotations, labels, managedBySvc } from '../meta/annotations.ts'
import { homeOf, placeLabels } from '../meta/namespaces.ts'
import { choiceKey, type NodeChoice, nodeSelectorOf } from '../placement/node-choice.ts'
import { tagTolerations } from '../placement/node-tags.ts'
import { administrators, isSqlEngine } from '../sql-engines.ts'
import { databaseImage } from './image.ts'
import type { DatabaseSpec } from './kind.ts'
import {
  adminSecretName,
  enginePorts,
  firstDatabase,
  passwordSecretName,
  serverServiceName,
  volumeName,
} from './names.ts'
import { copySizeOf } from './sizes.ts'
import { authFile, mounts, startScript } from './start-script.ts'
import { nonRootPod } from '../pods/security.ts'

/** Everything a maker needs besides the spec. */
export interface DatabasePlacing {
  name: string
  uid: string
  nodes: NodeChoice
  /** Size of the volume as a quantity: that of the record, or the larger one of an existing volume. */
  storage: string
  /** The image of its server; absent means the tag of its version. */
  image?: string
}

export type DatabaseManifest = (V1ServiceAccount | V1PersistentVolumeClaim | V1Service | V1StatefulSet) & {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace: string; labels: Record<string, string>; annotations?: Record<string, string> }
}

/** The user of the official images of postgres, mysql and redis; rqlite runs as any. The volume gets this group. */
const runAs = 999

/** The labels of everything made for the record; metrics, usage and the removal find the objects by them. */
export function databaseLabels(
  { uid }: Pick<DatabasePlacing, 'uid'>,
  place: Pick<DatabaseSpec, 'project' | 'environment'>,
): Record<string, string> {
  const where = place.project === '' ? {} : placeLabels(place)
  return { [labels.managedBy]: managedBySvc, [labels.owner]: uid, ...where }
}

/**
 * The objects of a single instance, in the order in which they are applied. The Secrets with their passwords exist by
 * then.
 */
export function instanceObjects(spec: DatabaseSpec, placing: DatabasePlacing): DatabaseManifest[] {
  return [account(spec, placing), volumeClaim(spec, placing), service(spec, placing), statefulSet(spec, placing)]
}

function meta(spec: DatabaseSpec, placing: DatabasePlacing, name = placing.name) {
  return { name, namespace: homeOf(spec), labels: databaseLabels(placing, spec) }
}

function account(spec: DatabaseSpec, placing: DatabasePlacing) {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: meta(spec, placing),
    automountServiceAccountToken: false,
  } satisfies V1ServiceAccount
}

/** A claim of its own: the size of a volume template of a StatefulSet can never change. */
export function volumeClaim(spec: DatabaseSpec, placing: DatabasePlacing) {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: meta(spec, placing, volumeName(placing.name)),
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: placing.storage } } },
  } satisfies V1PersistentVolumeClaim
}

function service(spec: DatabaseSpec, placing: DatabasePlacing) {
  const port = enginePorts[spec.engine]
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: meta(spec, placing, serverServiceName(placing.name, spec.engine)),
    spec: {
      selector: { [labels.owner]: placing.uid },
      ports: [{ name: spec.engine, port, targetPort: spec.engine, protocol: 'TCP' }],
    },
  } satisfies V1Service
}

function statefulSet(spec: DatabaseSpec, placing: DatabasePlacing) {
  const { nodes } = placing
  const key = choiceKey(nodes)
  const nodeSelector = nodeSelectorOf(nodes)
  const tolerations = tagTolerations(nodes.tags)
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { ...meta(spec, placing), ...(key === '' ? {} : { annotations: { [annotations.nodeChoice]: key } }) },
    spec: {
      replicas: 1,
      // With OrderedReady, a copy that never gets ready would have to become so before a newer template could replace
      // it.
      podManagementPolicy: 'Parallel',
      serviceName: serverServiceName(placing.name, spec.engine),
      selector: { matchLabels: { [labels.owner]: placing.uid } },
      template: {
        metadata: { labels: databaseLabels(placing, spec) },
        spec: {
          serviceAccountName: placing.name,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: 60,
          securityContext: {
            ...nonRootPod(runAs),
            fsGroup: runAs,
            // Changing the owner of every file of a large volume at each start would take minutes.
            fsGroupChangePolicy: 'OnRootMismatch',
          },
          ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
          ...(tolerations.length === 0 ? {} : { tolerations }),
          containers: [container(spec, placing)],
          volumes: [
            { name: 'data', persistentVolumeClaim: { claimName: volumeName(placing.name) } },
            { name: 'scratch', emptyDir: {} },
            { name: 'login', secret: { secretName: passwordSecretName(placing.name), defaultMode: 0o440 } },
            ...(isSqlEngine(spec.engine)
              ? [{ name: 'admin', secret: { secretName: adminSecretName(placing.name), defaultMode: 0o440 } }]
              : []),
          ],
        },
      },
    },
  } satisfies V1StatefulSet
}

/**
 * A first start creates files, and a start after a crash reads them all: after five minutes the container is restarted.
 */
const startProbe = { periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 150 } as const

function container(spec: DatabaseSpec, { name, image = databaseImage(spec) }: DatabasePlacing): V1Container {
  const { engine } = spec
  const script = startScript(engine, firstDatabase(name, spec))
  const asks = question(engine)
  return {
    name: engine,
    image,
    imagePullPolicy: 'IfNotPresent',
    command: script === undefined ? rqlited(name) : ['sh', '-c', script],
    env: [{ name: 'HOME', value: '/tmp' }],
    ports: [{ name: engine, containerPort: enginePorts[engine], protocol: 'TCP' }],
    startupProbe: { ...asks, ...startProbe },
    readinessProbe: { ...asks, periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 3 },
    livenessProbe: { ...asks, periodSeconds: 20, timeoutSeconds: 10, failureThreshold: 6 },
    resources: { requests: copySizeOf(spec), limits: copySizeOf(spec) },
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    volumeMounts: [
      { name: 'data', mountPath: mounts[engine] },
      { name: 'scratch', mountPath: '/tmp' },
      { name: 'login', mountPath: mounts.login, readOnly: true },
      ...(isSqlEngine(engine) ? [{ name: 'admin', mountPath: mounts.admin, readOnly: true }] : []),
    ],
  }
}

/** The probe of a server, without a password in an argument. */
function question(engine: DatabaseSpec['engine']): Pick<V1Probe, 'exec' | 'httpGet'> {
  if (engine === 'postgres')
    return { exec: { command: ['pg_isready', '-q', '-h', '127.0.0.1', '-U', administrators.postgres] } }
  // mysqladmin succeeds when the server denies access without a password: the server is alive then.
  if (engine === 'mysql')
    return { exec: { command: ['mysqladmin', '--no-defaults', '-h', '127.0.0.1', '--silent', 'ping'] } }
  if (engine === 'redis')
    return {
      exec: {
        command: [
          'sh',
          '-c',
          `REDISCLI_AUTH="$(cat ${mounts.login}/password)" redis-cli -h 127.0.0.1 ping | grep -q PONG`,
        ],
      },
    }
  return { httpGet: { path: '/readyz', port: engine } }
}

/** A single rqlite has no peers: its own address may be a name that never changes. */
function rqlited(name: string): string[] {
  const port = enginePorts.sqlite
  return [
    'rqlited',
    `-node-id=${name}`,
    `-http-addr=0.0.0.0:${port}`,
    `-http-adv-addr=localhost:${port}`,
    `-raft-addr=localhost:${port + 1}`,
    `-auth=${mounts.login}/${authFile}`,
    mounts.sqlite,
  ]
}
