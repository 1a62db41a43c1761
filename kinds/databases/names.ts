/** The names of a database on the cluster: its Secrets, Service and volume, and the address for its clients. */
import { homeOf } from '../meta/namespaces.ts'
import type { Database, DatabaseSpec } from './kind.ts'

type Engine = DatabaseSpec['engine']

/** The port of each engine (docs/reference/databases.md#how-a-server-is-made). */
export const enginePorts = { postgres: 5432, mysql: 3306, redis: 6379, sqlite: 4001 } as const satisfies Record<
  Engine,
  number
>

/** `{username, password}` of the administrator of a postgres or mysql server, in the server's namespace. */
export const adminSecretName = (name: string): string => `${name}-admin`

/**
 * `{username, password}` of the login in the connection Secret, in the server's namespace; made once and never changed.
 */
export const passwordSecretName = (name: string): string => `${name}-password`

/** The volume of a single instance; its metrics are found by this name (kinds/metrics/queries.ts). */
export const volumeName = (name: string): string => `data-${name}-0`

/**
 * The Service of the server: the operator uses the name with `-rw`, and a single instance of postgres does the same.
 */
export const serverServiceName = (name: string, engine: Engine): string => (engine === 'postgres' ? `${name}-rw` : name)

/** `<db>-rw.<namespace>.svc` for postgres, `<db>.<namespace>.svc` for the others. */
export function serverHost(name: string, spec: Pick<DatabaseSpec, 'engine' | 'project' | 'environment'>): string {
  return `${serverServiceName(name, spec.engine)}.${homeOf(spec)}.svc`
}

/**
 * The database in the connection Secret: named in the record, or derived from its own name; redis and sqlite have only
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

/** The name has a part of the record's uid, so that another database of the same name is never mistaken for it. */
export const nameAtPlanetScale = ({ metadata }: Pick<Database, 'metadata'>): string =>
  `${metadata.name}-${(metadata.uid ?? '').slice(0, uidLetters)}`

const identifierMax = 32 // of a login at mysql, the shortest of all

function derivedName(name: string): string {
  const plain = name.replaceAll(/[^a-z0-9]+/g, '_')
  return (/^[0-9]/.test(plain) ? `d${plain}` : plain).slice(0, identifierMax)
}
