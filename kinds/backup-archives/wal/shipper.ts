/** The Deployment that stores the WAL of a postgres beside its newest backup: a pure maker of its manifest. */

import type { V1Deployment } from '@kubernetes/client-node'
import { type BackupJob, homes, podSpec, serverOf, type Shape, variables } from '../pods.ts'
import { folders } from '../scripts.ts'
import { shipCommand } from './ship-script.ts'

/** A segment of the WAL as it is and packed, with room for the lists. */
const workMax = '96Mi'
const shape: Shape = {
  runAs: 65_532,
  resources: { requests: { cpu: '10m', memory: '48Mi' }, limits: { cpu: '500m', memory: '256Mi' } },
  work: { name: 'work', emptyDir: { sizeLimit: workMax } },
  servers: [],
}
/** On its pods, which carry no owner: they are none of the server's. */
export const shipperLabel = 'svc.dev/wal-of'

/**
 * `job.name` names it and its Secret. One at a time for each backup: two would only store the same. It holds nothing
 * that is not elsewhere, so it is replaced without waiting.
 * @param stay older slots that are not over
 */
export function shipperDeployment(job: BackupJob, slot: string, stay: readonly string[]) {
  const { name, namespace, image, secrets } = job
  const own = { [shipperLabel]: name }
  const env = variables({ ...folders, ...homes, ...serverOf(job), WAL_SLOT: slot, WAL_STAY: stay.join(' ') })
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
        spec: podSpec(
          { ...job, secrets: { ...secrets, login: undefined } },
          { name: 'wal', image, command: [...shipCommand], env },
          shape,
        ),
      },
    },
  } satisfies V1Deployment
}
