/**
 * The variant of a store, its effective spec, and the state that follows from its record
 * (docs/reference/object-stores.md#fields).
 */
import { defined } from '../../contract/defined.ts'
import { annotations, finalizers } from '../meta/annotations.ts'
import { draftOf, settingsDraft } from '../provision/draft.ts'
import type { ProvisionRules } from '../provision/plan.ts'
import { provisionState, type ProvisionState } from '../provision/state.ts'
import { type ObjectStore, type ObjectStoreSpec, objectStoreSpec } from './kind.ts'

/** Whether the store is the one server on which local buckets are made. */
export function isObjectServer({ project }: Pick<ObjectStoreSpec, 'project'>): boolean {
  return project === ''
}

/**
 * There is one object server (docs/reference/object-stores.md#the-object-server): the name is fixed, so that the API
 * server itself refuses a second one.
 */
export const objectServerName = 'object-server'

/** A store is remote by the engine `Remote` or by the placement `External` (docs/reference/object-stores.md#fields). */
export function isExternal({ engine, placement }: Pick<ObjectStoreSpec, 'engine' | 'placement'>): boolean {
  return engine === 'Remote' || placement === 'External'
}

/** The only live settings of a bucket are those of backups (docs/reference/object-stores.md#fields). */
export const storeDraft = settingsDraft<ObjectStoreSpec>(objectStoreSpec, ({ backups: _, ...base }, { backups }) => ({
  ...base,
  ...defined({ backups }),
}))

/**
 * A bucket of a project waits for its deploy where it has the annotation `svc.dev/deploy-workflow`; the object server
 * never does (docs/reference/object-stores.md#fields). Undefined for one that waits.
 */
export function effectiveStoreSpec(store: ObjectStore): ObjectStoreSpec | undefined {
  const gated = !isObjectServer(store.spec) && store.metadata.annotations?.[annotations.deployWorkflow] === 'true'
  return gated || store.spec.deploy.enabled ? draftOf(storeDraft, store).effectiveSpec : store.spec
}

/**
 * The object server has the state `draft` while it runs (docs/reference/object-stores.md#the-object-server); its
 * message is that of its real state.
 */
export function storeState(store: ObjectStore): ProvisionState {
  const found = storeProvisionState(store)
  if (store.spec.deploy.enabled || found.state === 'deleting') return found
  return { state: 'draft', message: found.message }
}

/**
 * How the provisioning of a store is, also of one that is listed as a draft while it runs: the object server, and a
 * bucket that was made with kubectl.
 */
export const storeProvisionState = (store: ObjectStore): ProvisionState =>
  provisionState(store, effectiveStoreSpec(store))

export const isBucketReady = (store: ObjectStore): boolean => storeProvisionState(store).state === 'ready'

/** `restored`: a bucket on the server that begins with the objects of a backup. */
export type StoreVariant = 'server' | 'local' | 'restored' | 'remote'

function variantOf(store: ObjectStore): StoreVariant {
  if (isObjectServer(store.spec)) return 'server'
  if (isExternal(store.spec)) return 'remote'
  return (effectiveStoreSpec(store) ?? store.spec).restoreFrom === undefined ? 'local' : 'restored'
}

/** How stores of every variant are reconciled. */
export const storeRules: ProvisionRules<ObjectStore> = {
  effectiveSpec: effectiveStoreSpec,
  unreadable: (store) => draftOf(storeDraft, store).unreadable,
  finalizer: () => finalizers.objectStore,
  variant: variantOf,
  reportsDrafts: true,
}
