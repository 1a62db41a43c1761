/** Which image a server runs: the official ones, by the names they have in the usual registry. */
import type { DatabaseSpec } from './kind.ts'

/** What runs where the record names no version. */
export const defaultVersions = { postgres: '16', mysql: '8.4', redis: '7', sqlite: '8.36.0' } as const satisfies Record<
  DatabaseSpec['engine'],
  string
>

const repositories = { postgres: 'postgres', mysql: 'mysql', redis: 'redis', sqlite: 'rqlite/rqlite' } as const

export function engineVersionOf({ engine, version }: Pick<DatabaseSpec, 'engine' | 'version'>): string {
  return version === '' ? defaultVersions[engine] : version
}

/**
 * `postgres:16`. Also for the Jobs that make logical databases: it holds the client of the engine (`psql`, `mysql`).
 */
export function databaseImage(spec: Pick<DatabaseSpec, 'engine' | 'version'>): string {
  return `${repositories[spec.engine]}:${engineVersionOf(spec)}`
}

/** Whether what runs is the version that is wanted, by its tag alone or by what that meant when it was first used. */
export function runsImage(running: string, wanted: string): boolean {
  return running === wanted || running.startsWith(`${wanted}@sha256:`)
}
