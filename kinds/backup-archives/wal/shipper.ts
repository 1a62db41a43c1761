/**
 * The Deployment that stores the WAL of a postgres, or the binary log of a mysql, beside its newest backup: a pure
 * maker of its manifest.
 */
import type { V1Deployment } from '@kubernetes/client-node'
import { shipCommand as binlogCommand } from '../binlog/ship-script.ts'
import { type BackupJob, homes, podSpec, serverOf, type Shape, variables } from '../pods.ts'
import { folders } from '../scripts.ts'
import { shipCommand } from './ship-script.ts'

/** A segment of the WAL, or a file of the binary log, as it is and packed, with room for the lists. */
const workMax = { wal: '96Mi', binlog: '8Gi' } as const
const shape = (sizeLimit: string): Shape => ({
  runAs: 65_532,
  resources: { requests: { cpu: '10m', memory: '48Mi' }, limits: { cpu: '500m', memory: '256Mi' } },
  work: { name: 'work', emptyDir: { sizeLimit } },
  servers: [],
})
/** On its pods, which carry no owner: they are none of the server's. */
export const shipperLabel = 'svc.dev/wal-of'

/** Of a postgres its slot, and older ones that are not over; of a mysql the MB of its log that the server keeps. */
export interface ShippedLog {
  slot: string
  stay: readonly string[]
  keep: number
}

/**
 * `job.name` names it and its Secret. One at a time for each backup: two would only store the same. It holds nothing
 * that is not elsewhere, so it is replaced without waiting.
 */
export function shipperDeployment(job: BackupJob, { slot, stay, keep }: ShippedLog) {
  const { name, namespace, image, secrets } = job
  const isBinlog = job.engine === 'mysql'
  const own = { [shipperLabel]: name }
  const ofEngine: Record<string, string> = isBinlog
    ? { WAL_KEEP: String(keep) }
    : { WAL_SLOT: slot, WAL_STAY: stay.join(' ') }
  const env = variables({ ...folders, ...homes, ...serverOf(job), ...ofEngine })
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
          { name: 'wal', image, command: [...(isBinlog ? binlogCommand : shipCommand)], env },
          shape(isBinlog ? workMax.binlog : workMax.wal),
        ),
      },
    },
  } satisfies V1Deployment
}
