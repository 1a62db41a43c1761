/** What the Jobs of backups run beside the tools of each engine, from the environment. */

/** The tag is that of the rclone in Debian 12, so an image made of packages is the same program. */
const defaultImage = 'rclone/rclone:1.60.1'

/** SVC_BACKUP_IMAGE: an image with a shell and rclone, from another registry. */
export function backupImage(env: Readonly<Record<string, string | undefined>>): string {
  return env['SVC_BACKUP_IMAGE'] || defaultImage
}

/** SVC_BINLOG_IMAGE: an image with a MySQL server and mysqlbinlog; '' for that of each server itself. */
export function binlogImage(env: Readonly<Record<string, string | undefined>>): string {
  return env['SVC_BINLOG_IMAGE'] ?? ''
}
