/** The image of a server: the official ones, by their names in the default registry. */
import type { DatabaseSpec } from './kind.ts'

/** The version where the record has none. */
export const defaultVersions = { postgres: '16', mysql: '8.4', redis: '7', sqlite: '8.36.0' } as const satisfies Record<
  DatabaseSpec['engine'],
  string
>

const repositories = { postgres: 'postgres', mysql: 'mysql', redis: 'redis', sqlite: 'rqlite/rqlite' } as const

export function engineVersionOf({ engine, version }: Pick<DatabaseSpec, 'engine' | 'version'>): string {
  return version === '' ? defaultVersions[engine] : version
}

/** `postgres:16`. Jobs for logical databases use it, too, as it has the client of the engine (`psql`, `mysql`). */
export function databaseImage(spec: Pick<DatabaseSpec, 'engine' | 'version'>): string {
  return `${repositories[spec.engine]}:${engineVersionOf(spec)}`
}

/** Whether the running image is the wanted version, by its tag alone or pinned to a digest of that tag. */
export function runsImage(running: string, wanted: string): boolean {
  return running === wanted || running.startsWith(`${wanted}@sha256:`)
}
