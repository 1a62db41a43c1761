/** Images of the Jobs of backups beside those of each engine, from environment variables. */
import { transferImage } from '../../kinds/backup-archives/names.ts'

/** SVC_BACKUP_IMAGE: an image with a shell and rclone, from another registry. */
export function backupImage(env: Readonly<Record<string, string | undefined>>): string {
  return env['SVC_BACKUP_IMAGE'] || transferImage
}

/** SVC_BINLOG_IMAGE: an image with a MySQL server and mysqlbinlog; '' for the image of each database's own server. */
export function binlogImage(env: Readonly<Record<string, string | undefined>>): string {
  return env['SVC_BINLOG_IMAGE'] ?? ''
}
