/** What the volume of a service adds to its objects; nothing without a volume. */
import type { V1DeploymentStrategy, V1PersistentVolumeClaim } from '@kubernetes/client-node'
import { namespaceOf } from '../../meta/namespaces.ts'
import type { AppSpec } from '../kind.ts'
import { ownedLabels, volumeClaimName } from '../names.ts'

type Volume = AppSpec['volume']

/** Name of the volume in the pod template; no other volume of a service has it. */
const data = 'data'
/**
 * The group that owns the files; copies have it besides the groups of their image. It never changes, or copies would
 * lose access to their files.
 */
const group = 2000

/** The PersistentVolumeClaim. @param size its storage request, which may be more than the size in the spec */
export function volumeClaim(
  { project, environment }: AppSpec,
  { name, uid }: { name: string; uid: string },
  size: string,
) {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: volumeClaimName(name),
      namespace: namespaceOf(project, environment),
      labels: ownedLabels({ name, uid, project, environment }),
    },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } } },
  } satisfies V1PersistentVolumeClaim
}

/** Two copies never have the volume at once: the old one stops before the new one starts. */
export const strategyWith = (volume: Volume): V1DeploymentStrategy =>
  volume === undefined
    ? { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } }
    : { type: 'Recreate' }

/** The file system group of the pod: an image that does not run as root may write to the volume by it. */
export const groupOf = (volume: Volume) =>
  volume === undefined ? {} : { fsGroup: group, fsGroupChangePolicy: 'OnRootMismatch' }

export const volumesOf = (name: string, volume: Volume) =>
  volume === undefined ? {} : { volumes: [{ name: data, persistentVolumeClaim: { claimName: volumeClaimName(name) } }] }

export const mountsOf = (volume: Volume) =>
  volume === undefined ? {} : { volumeMounts: [{ name: data, mountPath: volume.path }] }
