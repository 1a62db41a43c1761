/** The effective spec of a database, and the state that follows from its record. */
import { finalizers } from '../meta/annotations.ts'
import { draftOf, settingsDraft } from '../provision/draft.ts'
import type { ProvisionRules } from '../provision/plan.ts'
import { provisionState, type ProvisionState } from '../provision/state.ts'
import { type Database, type DatabaseSpec, databaseSpec } from './kind.ts'

/** Backup settings of a database apply at once (docs/reference/databases.md#settings). */
function withLiveSettings(base: DatabaseSpec, live: DatabaseSpec): DatabaseSpec {
  return { ...base, backups: live.backups }
}

export const databaseDraft = settingsDraft<DatabaseSpec>(databaseSpec, withLiveSettings)

/** The effective spec; undefined for a draft. */
export function effectiveDatabaseSpec(database: Database): DatabaseSpec | undefined {
  return draftOf(databaseDraft, database).effectiveSpec
}

export function databaseState(database: Database): ProvisionState {
  return provisionState(database, effectiveDatabaseSpec(database))
}

/**
 * Whether every project may have logical databases on the server: such a server has no project
 * (docs/reference/databases.md#the-shared-server).
 */
export function isSharedServer({ project }: Pick<DatabaseSpec, 'project'>): boolean {
  return project === ''
}

/**
 * How svc gets a server: made on this cluster, made there from a backup, made at a cloud, or connected to elsewhere.
 */
export type DatabaseVariant = 'cluster' | 'restored' | 'PlanetScale' | 'AWS' | 'connect'

export function databaseVariant({
  placement,
  mode,
  provider,
  restoreFrom,
}: Pick<DatabaseSpec, 'placement' | 'mode' | 'provider' | 'restoreFrom'>): DatabaseVariant {
  if (placement === 'InCluster') return restoreFrom === undefined ? 'cluster' : 'restored'
  return mode === 'Connect' || provider === '' ? 'connect' : provider
}

/** The finalizer holds a database as soon as something may have been made for it. */
export const databaseRules: ProvisionRules<Database> = {
  effectiveSpec: effectiveDatabaseSpec,
  unreadable: (database) => draftOf(databaseDraft, database).unreadable,
  finalizer: () => finalizers.database,
  variant: (database) => databaseVariant(effectiveDatabaseSpec(database) ?? database.spec),
  reportsDrafts: false,
}
