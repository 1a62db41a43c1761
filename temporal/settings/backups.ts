/** Images of the Jobs of backups beside those of each engine, from environment variables. */

/** The version of rclone in Debian 12, so that an image made from its packages has the same program. */
const defaultImage = 'rclone/rclone:1.60.1'

/** SVC_BACKUP_IMAGE: an image with a shell and rclone, from another registry. */
export function backupImage(env: Readonly<Record<string, string | undefined>>): string {
  return env['SVC_BACKUP_IMAGE'] || defaultImage
}

/** SVC_BINLOG_IMAGE: an image with a MySQL server and mysqlbinlog; '' for the image of each database's own server. */
export function binlogImage(env: Readonly<Record<string, string | undefined>>): string {
  return env['SVC_BINLOG_IMAGE'] ?? ''
}
