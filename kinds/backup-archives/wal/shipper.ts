/**
 * The Deployment that stores the WAL of a postgres, or the binary log of a mysql, beside its newest backup: a pure
 * maker of its manifest.
 */
import type { V1Deployment } from '@kubernetes/client-node'
import { shipCommand as binlogCommand } from '../binlog/ship-script.ts'
import { type BackupJob, homes, podSpec, serverOf, type Shape, variables } from '../pods.ts'
import { folders } from '../scripts.ts'
import { shipCommand } from './ship-script.ts'

/** Space for a segment of the WAL, or a file of the binary log, in plain and packed form, and for the lists. */
const workMax = { wal: '96Mi', binlog: '8Gi' } as const
const shape = (sizeLimit: string): Shape => ({
  runAs: 65_532,
  resources: { requests: { cpu: '10m', memory: '48Mi' }, limits: { cpu: '500m', memory: '256Mi' } },
  work: { name: 'work', emptyDir: { sizeLimit } },
  servers: [],
})
/** Label of its pods, which have no owner label: they are no copies of the database. */
export const shipperLabel = 'svc.dev/wal-of'

/** For a postgres its slot, and older slots that stay; for a mysql how many MB of its log the server keeps. */
export interface ShippedLog {
  slot: string
  stay: readonly string[]
  keep: number
}

/**
 * `job.name` is the name of the Deployment and of its Secret. One pod at a time per backup, since two would store the
 * same. It has no state of its own, so it is replaced without a wait.
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
