/** The Deployment that stores the WAL of a postgres beside its newest backup: a pure maker of its manifest. */

import type { V1Deployment } from '@kubernetes/client-node'
import { nodeSelectorOf } from '../../placement/node-choice.ts'
import { tagTolerations } from '../../placement/node-tags.ts'
import { type BackupJob, confined, mounted } from '../jobs.ts'
import { folders, toolsScript } from '../scripts.ts'
import { shipCommand } from './ship-script.ts'

/** A segment of the WAL as it is and packed, with room for the lists. */
const workMax = '96Mi'
const resources = { requests: { cpu: '10m', memory: '48Mi' }, limits: { cpu: '500m', memory: '256Mi' } }
const runAs = 65_532
/** On its pods, which carry no owner: they are none of the server's. */
export const shipperLabel = 'svc.dev/wal-of'

/**
 * `job.name` names it and its Secret. One at a time for each backup: two would only store the same. It holds nothing
 * that is not elsewhere, so it is replaced without waiting.
 */
export function shipperDeployment(job: BackupJob, slot: string) {
  const { name, namespace, nodes, secrets, transferImage } = job
  const nodeSelector = nodeSelectorOf(nodes)
  const own = { [shipperLabel]: name }
  const common = { imagePullPolicy: 'IfNotPresent', securityContext: confined, resources }
  const tools = { name: 'tools', mountPath: folders.TOOLS }
  const env = { ...folders, HOME: folders.WORK, TMPDIR: folders.WORK, SERVER_HOST: job.host, SERVER_PORT: String(job.port), WAL_SLOT: slot } // prettier-ignore
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels: job.labels },
    spec: {
      replicas: 1,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: own },
      template: {
        metadata: { labels: { ...job.podLabels, ...own } },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: runAs,
            runAsGroup: runAs,
            fsGroup: runAs,
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
              name: 'wal',
              image: job.image,
              command: [...shipCommand],
              env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
              terminationMessagePath: folders.SAID,
              volumeMounts: [
                { ...tools, readOnly: true },
                { name: 'work', mountPath: folders.WORK },
                { name: 'store', mountPath: folders.STORE, readOnly: true },
                { name: 'admin', mountPath: folders.ADMIN, readOnly: true },
              ],
              ...common,
            },
          ],
          volumes: [
            { name: 'tools', emptyDir: {} },
            { name: 'work', emptyDir: { sizeLimit: workMax } },
            mounted('store', secrets.store),
            mounted('admin', secrets.admin ?? ''),
          ],
        },
      },
    },
  } satisfies V1Deployment
}
