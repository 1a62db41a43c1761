/** The copy of a database in the environment of a pull request (docs/reference/projects.md#what-is-copied). */
import { effectiveDatabaseSpec, isSharedServer } from './draft.ts'
import type { Database, DatabaseSpec } from './kind.ts'

/** An empty server of one copy without backups; undefined for a draft, and for a server that is not on this cluster. */
export function copyOfDatabase(database: Database, environment: string): DatabaseSpec | undefined {
  const base = effectiveDatabaseSpec(database)
  if (base === undefined || base.placement !== 'InCluster' || isSharedServer(base)) return undefined
  const { restoreFrom: _, ...kept } = base
  return {
    ...kept,
    environment,
    highAvailability: false,
    instances: 1,
    backups: { ...base.backups, enabled: false },
    deploy: { enabled: false },
  }
}
