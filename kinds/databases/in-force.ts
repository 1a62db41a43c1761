/** Which spec of a database is in force, and the state that follows from its record. */

import { finalizers } from '../annotations.ts'
import { specInForce } from '../draft.ts'
import type { ProvisionRules } from '../provision-plan.ts'
import { provisionState, type ProvisionState } from '../provision-state.ts'
import type { Database, DatabaseSpec } from './kind.ts'

/** "A database's backup settings" apply at once (spec, Draft and deploy model 2). */
export function withLiveSettings(base: DatabaseSpec, live: DatabaseSpec): DatabaseSpec {
  return { ...base, backups: live.backups }
}

/** Undefined for a draft. */
export function databaseInForce(database: Database): DatabaseSpec | undefined {
  return specInForce<DatabaseSpec>(database, withLiveSettings)
}

export function databaseState(database: Database): ProvisionState {
  return provisionState(database, databaseInForce(database))
}

/** The server that every project may have logical databases on: it has no project (spec, Logical database). */
export function isSharedServer({ project }: Pick<DatabaseSpec, 'project'>): boolean {
  return project === ''
}

/** The ways to a server: made on this cluster, made at a cloud, or made by somebody else and connected to. */
export type DatabaseVariant = 'cluster' | 'PlanetScale' | 'AWS' | 'connect'

export function databaseVariant({ placement, mode, provider }: Pick<DatabaseSpec, 'placement' | 'mode' | 'provider'>): DatabaseVariant {
  if (placement === 'InCluster') return 'cluster'
  return mode === 'Connect' || provider === '' ? 'connect' : provider
}

/** Held by its finalizer as soon as something may have been made for it. */
export const databaseRules: ProvisionRules<Database> = {
  inForce: databaseInForce,
  finalizer: () => finalizers.database,
  variant: (database) => databaseVariant(databaseInForce(database) ?? database.spec),
  draftsTell: false,
}
