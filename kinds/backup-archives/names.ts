/** What a backup is called: its record, its objects on the cluster, and its folder in the bucket. */

import { dnsLabelMax } from '../../contract/limits.ts'

const stampLength = '-20261123-101500'.length
/** Room for what is put behind the name of the record. */
const room = stampLength + '-backup'.length

/** `orders-20261123-101500`, by the moment it is of (UTC). */
export function archiveName(database: string, at: Date): string {
  const stamp = at
    .toISOString()
    .replaceAll(/[-:]/g, '')
    .replace('T', '-')
    .slice(0, stampLength - 1)
  return `${database.slice(0, dnsLabelMax - room)}-${stamp}`
}

/** The Job of a backup, and the Secret that it reads, in the namespace of the environment. */
export const backupJobName = (archive: string): string => `${archive}-backup`
/** The same of a restore into a database. */
export const restoreJobName = (database: string): string => `${database}-restore`

/** The folder of a backup in the bucket: `token` is random, so no two backups share one, also under the same name. */
export function archivePath(project: string, name: string, token: string): string {
  return `svc-backups/${project}/${name}-${token}`
}

/** In svc-system: `key`, with which the backups of a project are encrypted. */
export const projectKeyName = (project: string): string => `${project}-backup-key`
