/** Whether a logical database is backed up by itself, and how long that is kept (docs/reference/backups.md). */

import { backupRetentionDays as retention } from '../../contract/limits.ts'
import { defined } from '../../contract/defined.ts'
import type { LogicalDatabaseSpec } from './kind.ts'

export const keepsBackups = ({ backups }: LogicalDatabaseSpec): boolean => backups?.enabled === true

export const retentionDaysOf = ({ backups }: LogicalDatabaseSpec): number => backups?.retentionDays ?? retention.default

export interface BackupSettings {
  backups?: boolean | undefined
  backupRetentionDays?: number | undefined
}

/** What is not given stays. */
export function withBackupSettings(spec: LogicalDatabaseSpec, settings: BackupSettings): LogicalDatabaseSpec {
  const given = defined({ enabled: settings.backups, retentionDays: settings.backupRetentionDays })
  return Object.keys(given).length === 0 ? spec : { ...spec, backups: { ...spec.backups, ...given } }
}
