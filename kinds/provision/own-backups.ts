/**
 * Whether a logical database or a bucket has backups of its own, and how long they are kept
 * (docs/reference/backups.md#schedule-and-retention).
 */
import { backupRetentionDays as retention } from '../../contract/limits.ts'
import { defined } from '../../contract/defined.ts'

interface WithBackups {
  backups?: { enabled?: boolean | undefined; retentionDays?: number | undefined } | undefined
}

export const keepsBackups = ({ backups }: WithBackups): boolean => backups?.enabled === true

export const retentionDaysOf = ({ backups }: WithBackups): number => backups?.retentionDays ?? retention.default

export interface BackupSettings {
  backups?: boolean | undefined
  backupRetentionDays?: number | undefined
}

/** Settings that are not given stay as they are. */
export function withBackupSettings<Spec extends WithBackups>(spec: Spec, settings: BackupSettings): Spec {
  const given = defined({ enabled: settings.backups, retentionDays: settings.backupRetentionDays })
  return Object.keys(given).length === 0 ? spec : { ...spec, backups: { ...spec.backups, ...given } }
}
