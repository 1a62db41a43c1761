/**
 * What a database is called on the cluster: its Secrets, its Service, its volume, and the address that others reach it
 * at.
 */
import { homeOf } from '../meta/namespaces.ts'
import type { Database, DatabaseSpec } from './kind.ts'

type Engine = DatabaseSpec['engine']

/** Where each engine answers (docs/reference/databases.md#how-a-server-is-made). */
export const enginePorts = { postgres: 5432, mysql: 3306, redis: 6379, sqlite: 4001 } as const satisfies Record<
  Engine,
  number
>

/** `{username, password}` of the administrator of a postgres or mysql server, in the server's namespace. */
export const adminSecretName = (name: string): string => `${name}-admin`

/**
 * `{username, password}` of the login that the connection Secret holds, in the server's namespace; made once, never
 * again.
 */
export const passwordSecretName = (name: string): string => `${name}-password`

/**
 * The volume of a server that runs as a single instance; its metrics are found by this name (kinds/metrics/queries.ts).
 */
export const volumeName = (name: string): string => `data-${name}-0`

/** The Service of the server: the operator names it so, and a single instance of postgres keeps to it. */
export const serverServiceName = (name: string, engine: Engine): string => (engine === 'postgres' ? `${name}-rw` : name)

/** `<db>-rw.<namespace>.svc` for postgres, `<db>.<namespace>.svc` for the others. */
export function serverHost(name: string, spec: Pick<DatabaseSpec, 'engine' | 'project' | 'environment'>): string {
  return `${serverServiceName(name, spec.engine)}.${homeOf(spec)}.svc`
}

/**
 * The database that the connection Secret names: as the record says, or after its own name; redis and sqlite have but
 * one.
 */
export function firstDatabase(
  name: string,
  { engine, databaseName }: Pick<DatabaseSpec, 'engine' | 'databaseName'>,
): string {
  if (engine === 'redis') return '0'
  if (engine === 'sqlite') return ''
  return databaseName === '' ? derivedName(name) : databaseName
}

/** The login that owns the first database. */
export function firstLogin(name: string, { engine }: Pick<DatabaseSpec, 'engine'>): string {
  return engine === 'redis' ? 'default' : derivedName(name)
}

const uidLetters = 8

/** With a piece of the record's uid, so that another database of this name is never taken for ours. */
export const nameAtPlanetScale = ({ metadata }: Pick<Database, 'metadata'>): string =>
  `${metadata.name}-${(metadata.uid ?? '').slice(0, uidLetters)}`

const identifierMax = 32 // of a login at mysql, the shortest of all

function derivedName(name: string): string {
  const plain = name.replaceAll(/[^a-z0-9]+/g, '_')
  return (/^[0-9]/.test(plain) ? `d${plain}` : plain).slice(0, identifierMax)
}
