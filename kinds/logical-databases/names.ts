/** The names of a logical database: on its server, and of the objects on the cluster that are made for it. */
import { logicalDatabaseRealNameMax } from '../../contract/limits.ts'
import type { LogicalDatabaseSpec } from './kind.ts'

/** A database on a server and the login that owns it. */
export interface OnServer {
  database: string
  username: string
}

type Parts = Pick<LogicalDatabaseSpec, 'project' | 'environment' | 'databaseName'>

/** The text of a fingerprint: no two triples have the same. */
export function fingerprinted({ project, environment, databaseName }: Parts): string {
  return JSON.stringify([project, environment, databaseName])
}

const loginDigits = 16
const shortenedDigits = 8
const claimDigits = 40

/**
 * The real database name and login on the shared server (docs/reference/logical-databases.md#on-the-shared-server).
 * `fingerprint` is the SHA-256 of `fingerprinted(parts)` in hexadecimal: with a short digest, the login of another name
 * could be the same and reach this database.
 */
export function namesOnSharedServer(parts: Parts, fingerprint: string): OnServer {
  const joined = [parts.project, parts.environment, parts.databaseName]
    .map((part) => part.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_'))
    .join('_')
  const name = /^[0-9]/.test(joined) ? `d${joined}` : joined
  const kept = logicalDatabaseRealNameMax - shortenedDigits - 1
  return {
    database:
      name.length > logicalDatabaseRealNameMax
        ? `${name.slice(0, kept)}_${fingerprint.slice(0, shortenedDigits)}`
        : name,
    username: `u_${fingerprint.slice(0, loginDigits)}`,
  }
}

/** The Job that creates it, beside its server (docs/reference/logical-databases.md#status). */
export const createJobName = (name: string): string => `${name}-create`

/** The Job that drops it, named after the login: a new database with the same login is created only after the drop. */
export const dropJobName = (username: string): string => `drop-${username.replace('_', '-')}`

/** Whether a Job of this name drops a database on the shared server: it may outlive its record by a day. */
export const isDropJobName = (name: string): boolean => new RegExp(`^drop-u-[0-9a-f]{${loginDigits}}$`).test(name)

/**
 * `{username, password, database, connectionLimit}` in svc-system: made once; the connection Secret is made from it.
 */
export const loginSecretName = (name: string): string => `${name}-login`

/** The value of the purpose label of claims. */
export const claimPurpose = 'database-name'

/**
 * The claim in svc-system of a database name on a server. `fingerprint` is the SHA-256 of both in hexadecimal, long
 * enough that no two have the same.
 */
export const claimSecretName = (fingerprint: string): string => `database-name-${fingerprint.slice(0, claimDigits)}`
