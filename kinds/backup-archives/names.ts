/** The names of a backup: its record, its objects on the cluster, and its folder in the bucket. */
import { dnsLabelMax } from '../../contract/limits.ts'
import { digest } from '../meta/digest.ts'

/**
 * The image with a shell and rclone where an install names no other, by a digest for all processors. Debian 12 has this
 * version, so that an image made from its packages has the same program.
 */
export const transferImage =
  'rclone/rclone:1.60.1@sha256:895e89550af5f00e2b3d0b2849a8caa0e17a99b8e57d6e1dac7ecb07289e71a3'

const stampLength = '-20261123-101500'.length
/** The longest suffix after the name of the database. */
const suffixLength = stampLength + '-backup'.length

/** `orders-20261123-101500`, with the moment of the backup in UTC. */
export function archiveName(database: string, at: Date): string {
  const stamp = at
    .toISOString()
    .replaceAll(/[-:]/g, '')
    .replace('T', '-')
    .slice(0, stampLength - 1)
  return `${database.slice(0, dnsLabelMax - suffixLength)}-${stamp}`
}

/** The backup before a deletion: one per database, however often the deletion is requested. */
export const lastArchiveName = (database: string, uid: string): string => madeFor(database, 'last', uid)
/** The backup before a new version: `change` identifies the change and the try. */
export const upgradeArchiveName = (database: string, change: unknown): string => madeFor(database, 'before', change)

/** `orders-last-1a2b3c4d`. */
function madeFor(database: string, word: string, what: unknown): string {
  return `${database.slice(0, dnsLabelMax - suffixLength)}-${word}-${digest(what).slice(0, 8)}`
}

/** The Job of a backup and its Secret, in the namespace of the environment. */
export const backupJobName = (archive: string): string => `${archive}-backup`
/** The Job of a restore drill and its Secret. */
export const drillJobName = (archive: string): string => `${archive}-drill`
/** The Job of a restore into a database and its Secret. */
export const restoreJobName = (database: string): string => `${database}-restore`

/** The Deployment that stores the WAL after a backup, and its Secret. */
export const shipperName = (archive: string): string => `${archive}-wal`

/**
 * The folder of a backup in the bucket: `token` is random, so that no two backups share one, even under the same name.
 */
export function archivePath(project: string, name: string, token: string): string {
  return `svc-backups/${project}/${name}-${token}`
}

/** Whether svc gave the backup this folder. Its record may be written by hand, and name any folder of the bucket. */
export function isArchivePath(path: string, project: string, name: string): boolean {
  const begin = archivePath(project, name, '')
  return path.startsWith(begin) && /^[0-9a-f]{8}$/.test(path.slice(begin.length))
}

/** The Secret in svc-system whose `key` encrypts the backups of a project. */
export const projectKeyName = (project: string): string => `${project}-backup-key`
