/** What a backup is called: its record, its objects on the cluster, and its folder in the bucket. */
import { dnsLabelMax } from '../../contract/limits.ts'
import { digest } from '../meta/digest.ts'

const stampLength = '-20261123-101500'.length
/** Of what is put behind the name of the record, at the most. */
const suffixLength = stampLength + '-backup'.length

/** `orders-20261123-101500`, by the moment it is of (UTC). */
export function archiveName(database: string, at: Date): string {
  const stamp = at
    .toISOString()
    .replaceAll(/[-:]/g, '')
    .replace('T', '-')
    .slice(0, stampLength - 1)
  return `${database.slice(0, dnsLabelMax - suffixLength)}-${stamp}`
}

/** The backup that a deletion waits for: one for each database, however often it is asked for. */
export const lastArchiveName = (database: string, uid: string): string => madeFor(database, 'last', uid)
/** The backup that a new version waits for: `change` says which change, and which try of it. */
export const upgradeArchiveName = (database: string, change: unknown): string => madeFor(database, 'before', change)

/** `orders-last-1a2b3c4d`. */
function madeFor(database: string, word: string, what: unknown): string {
  return `${database.slice(0, dnsLabelMax - suffixLength)}-${word}-${digest(what).slice(0, 8)}`
}

/** The Job of a backup, and the Secret that it reads, in the namespace of the environment. */
export const backupJobName = (archive: string): string => `${archive}-backup`
/** The same of a restore drill of it. */
export const drillJobName = (archive: string): string => `${archive}-drill`
/** The same of a restore into a database. */
export const restoreJobName = (database: string): string => `${database}-restore`

/** What stores the WAL that belongs to a backup, and the Secret that it reads. */
export const shipperName = (archive: string): string => `${archive}-wal`

/** The folder of a backup in the bucket: `token` is random, so no two backups share one, also under the same name. */
export function archivePath(project: string, name: string, token: string): string {
  return `svc-backups/${project}/${name}-${token}`
}

/** In svc-system: `key`, with which the backups of a project are encrypted. */
export const projectKeyName = (project: string): string => `${project}-backup-key`
