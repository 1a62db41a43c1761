/** The Jobs of backups and restores: pure makers of manifests, and what the pod of one said on its end. */

import type { V1Job, V1Volume } from '@kubernetes/client-node'
import { type NodeChoice, nodeSelectorOf } from '../placement/node-choice.ts'
import { tagTolerations } from '../placement/node-tags.ts'
import type { BackupArchiveSpec } from './kind.ts'
import { backupScript, folders, restoreScript, toolsScript } from './scripts.ts'

/** A backup that takes longer than this is given up. */
const deadlineSeconds = 6 * 3600
/** Where the second server of a restore of redis answers, within the pod. */
const ownPort = 6390
const dataMax = '20Gi'

export interface BackupJob {
  name: string
  namespace: string
  engine: BackupArchiveSpec['engine']
  /** The server's own, which holds the tools of its engine. */
  image: string
  /** With rclone: encrypts, uploads and downloads. */
  transferImage: string
  host: string
  port: number
  /** Names of Secrets beside the Job; `admin` is undefined for an engine without an administrator. */
  secrets: { store: string; login: string; admin: string | undefined }
  nodes: NodeChoice
  labels: Record<string, string>
  podLabels: Record<string, string>
  notes: Record<string, string>
}

export const backupJob = (job: BackupJob) => manifest(job, backupScript(job.engine), {})

/** `checksum` is that of the record: what the object store holds is not believed. */
export const restoreJob = (job: BackupJob, checksum: string) =>
  manifest(job, restoreScript(job.engine), { CHECKSUM: checksum })

function manifest(job: BackupJob, script: string, values: Record<string, string>) {
  const { name, namespace, nodes, secrets, transferImage } = job
  const nodeSelector = nodeSelectorOf(nodes)
  // The image of rqlite has a server and nothing else; rclone's own has a shell.
  const image = job.engine === 'sqlite' ? transferImage : job.image
  const env = Object.entries({ ...folders, SERVER_HOST: job.host, SERVER_PORT: String(job.port), ...values }).map(
    ([key, value]) => ({ name: key, value }),
  )
  const own = [
    { name: 'OWN_ADDRESS', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    { name: 'OWN_PORT', value: String(ownPort) },
  ]
  const common = {
    imagePullPolicy: 'IfNotPresent',
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { cpu: '1', memory: '512Mi' } },
  }
  const tools = { name: 'tools', mountPath: folders.TOOLS }
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace, labels: job.labels, annotations: job.notes },
    spec: {
      // A second pod would begin while nobody looks: what failed is decided by the next pass.
      backoffLimit: 0,
      activeDeadlineSeconds: deadlineSeconds,
      template: {
        metadata: { labels: job.podLabels },
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65532,
            runAsGroup: 65532,
            fsGroup: 65532,
            seccompProfile: { type: 'RuntimeDefault' },
          },
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
          ],
          containers: [
            {
              name: 'backup',
              image,
              command: ['sh', '-c', script],
              env: [{ name: 'HOME', value: folders.WORK }, { name: 'TMPDIR', value: folders.WORK }, ...env, ...own],
              terminationMessagePath: folders.SAID,
              volumeMounts: [
                { ...tools, readOnly: true },
                { name: 'work', mountPath: folders.WORK },
                { name: 'store', mountPath: folders.STORE, readOnly: true },
                { name: 'login', mountPath: folders.LOGIN, readOnly: true },
                ...(secrets.admin === undefined ? [] : [{ name: 'admin', mountPath: folders.ADMIN, readOnly: true }]),
              ],
              ...common,
            },
          ],
          volumes: [
            { name: 'tools', emptyDir: {} },
            { name: 'work', emptyDir: { sizeLimit: dataMax } },
            mounted('store', secrets.store),
            mounted('login', secrets.login),
            ...(secrets.admin === undefined ? [] : [mounted('admin', secrets.admin)]),
          ],
        },
      },
    },
  } satisfies V1Job
}

const mounted = (name: string, secretName: string): V1Volume => ({ name, secret: { secretName, defaultMode: 0o440 } })

/** What the pod of a backup says of what it has stored. */
export interface Stored {
  checksum: string
  size: number
  point: string
}

/** Undefined for anything else. */
export function storedIn(said: string): Stored | undefined {
  const found = /^\{"checksum":"([0-9a-f]{64})","size":(\d+),"point":"([0-9TZ:-]{20})"\}$/.exec(said.trim())
  if (found === null) return undefined
  const [, checksum = '', size = '', point = ''] = found
  return { checksum, size: Number(size), point }
}

/** Whether the pod of a restore came to its end. */
export const saysLoaded = (said: string): boolean => said.trim() === '{}'

/** The sentence of a failed pod, as far as the scripts say such. */
export const failureIn = (said: string): string => (/^[A-Za-z0-9 ,:._-]{1,200}$/.test(said.trim()) ? said.trim() : '')
