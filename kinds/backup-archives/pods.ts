/** The common part of the pods of backup Jobs and of those that store WAL: pure makers of manifests. */
import type { V1Container, V1EnvVar, V1PodSpec, V1ResourceRequirements, V1Volume } from '@kubernetes/client-node'
import { type NodeChoice, nodeSelectorOf } from '../placement/node-choice.ts'
import { tagTolerations } from '../placement/node-tags.ts'
import type { BackupArchiveSpec } from './kind.ts'
import { folders, toolsScript } from './scripts.ts'
import { nonRootPod } from '../pods/security.ts'

export const confined = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
}

export interface BackupJob {
  name: string
  namespace: string
  engine: BackupArchiveSpec['engine']
  /** The image of the server, which has the tools of its engine. */
  image: string
  /** The image with rclone, which encrypts, uploads and downloads. */
  transferImage: string
  host: string
  port: number
  /** Names of Secrets beside the Job; `admin` is undefined for an engine without an administrator. */
  secrets: { store: string; login: string | undefined; admin: string | undefined }
  nodes: NodeChoice
  labels: Record<string, string>
  podLabels: Record<string, string>
  notes: Record<string, string>
}

/** The parts of a pod beside its script. */
export interface Shape {
  runAs: number
  resources: V1ResourceRequirements
  work: V1Volume
  /** Sidecars: they start before the script and run as long as it does. */
  servers: V1Container[]
  /** The volume of a server that does not exist yet, and where it is mounted. */
  data?: { claim: string; at: string }
}

/** Where tools write their files: the root file system is read-only. */
export const homes = { HOME: folders.WORK, TMPDIR: folders.WORK } as const

/** The address of the server, as variables of a script. */
export const serverOf = ({ host, port }: BackupJob) => ({ SERVER_HOST: host, SERVER_PORT: String(port) })

export const variables = (values: Readonly<Record<string, string>>): V1EnvVar[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }))

/** A pod that runs one script; the Secrets of the Job are mounted into that container alone. */
export function podSpec(
  { secrets, nodes, transferImage }: BackupJob,
  script: Pick<V1Container, 'name' | 'image' | 'command' | 'env'>,
  { runAs, resources, work, servers, data }: Shape,
): Omit<V1PodSpec, 'restartPolicy'> {
  const nodeSelector = nodeSelectorOf(nodes)
  const common = { imagePullPolicy: 'IfNotPresent', securityContext: confined, resources }
  const tools = { name: 'tools', mountPath: folders.TOOLS }
  const logins = [
    ...(secrets.login === undefined ? [] : [{ name: 'login', secretName: secrets.login, mountPath: folders.LOGIN }]),
    ...(secrets.admin === undefined ? [] : [{ name: 'admin', secretName: secrets.admin, mountPath: folders.ADMIN }]),
  ]
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: { ...nonRootPod(runAs), fsGroup: runAs },
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
    ...(nodes.tags.length === 0 ? {} : { tolerations: tagTolerations(nodes.tags) }),
    initContainers: [
      {
        name: 'tools',
        image: transferImage,
        command: ['sh', '-c', toolsScript],
        env: [{ name: 'TOOLS', value: folders.TOOLS }],
        volumeMounts: [tools],
        ...common,
      },
      ...servers,
    ],
    containers: [
      {
        ...script,
        terminationMessagePath: folders.SAID,
        volumeMounts: [
          { ...tools, readOnly: true },
          { name: 'work', mountPath: folders.WORK },
          { name: 'store', mountPath: folders.STORE, readOnly: true },
          ...(data === undefined ? [] : [{ name: 'data', mountPath: data.at }]),
          ...logins.map(({ name, mountPath }) => ({ name, mountPath, readOnly: true })),
        ],
        ...common,
      },
    ],
    volumes: [
      { name: 'tools', emptyDir: {} },
      work,
      ...(data === undefined ? [] : [{ name: 'data', persistentVolumeClaim: { claimName: data.claim } }]),
      mounted('store', secrets.store),
      ...logins.map(({ name, secretName }) => mounted(name, secretName)),
    ],
  }
}

const mounted = (name: string, secretName: string): V1Volume => ({
  name,
  secret: { secretName, defaultMode: 0o440 },
})
