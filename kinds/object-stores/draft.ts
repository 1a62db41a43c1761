/**
 * What a store is, its effective spec, and the state that follows from its record
 * (docs/reference/object-stores.md#fields).
 */
import { defined } from '../../contract/defined.ts'
import { annotations, finalizers } from '../meta/annotations.ts'
import { draftOf, settingsDraft } from '../provision/draft.ts'
import type { ProvisionRules } from '../provision/plan.ts'
import { provisionState, type ProvisionState } from '../provision/state.ts'
import { type ObjectStore, type ObjectStoreSpec, objectStoreSpec } from './kind.ts'

/** The one server that local buckets live on. */
export function isObjectServer({ project }: Pick<ObjectStoreSpec, 'project'>): boolean {
  return project === ''
}

/**
 * There is one object server (docs/reference/object-stores.md#the-object-server): its name is fixed, so the cluster
 * itself refuses a second one.
 */
export const objectServerName = 'object-server'

/**
 * Either of the engine `Remote` and the placement `External` makes a store remote
 * (docs/reference/object-stores.md#fields).
 */
export function isExternal({ engine, placement }: Pick<ObjectStoreSpec, 'engine' | 'placement'>): boolean {
  return engine === 'Remote' || placement === 'External'
}

/** Of a bucket backup settings alone apply before its deploy (docs/reference/object-stores.md#fields). */
export const storeDraft = settingsDraft<ObjectStoreSpec>(objectStoreSpec, ({ backups: _, ...base }, { backups }) => ({
  ...base,
  ...defined({ backups }),
}))

/**
 * "deploy.enabled gates provisioning of a project bucket only when annotation svc.dev/deploy-workflow is true; the
 * cluster server is never gated." Undefined while it is gated.
 */
export function effectiveStoreSpec(store: ObjectStore): ObjectStoreSpec | undefined {
  const gated = !isObjectServer(store.spec) && store.metadata.annotations?.[annotations.deployWorkflow] === 'true'
  return gated || store.spec.deploy.enabled ? draftOf(storeDraft, store).effectiveSpec : store.spec
}

/**
 * The object server has the state `draft` while it runs (docs/reference/object-stores.md#the-object-server); its
 * message says how it is all the same.
 */
export function storeState(store: ObjectStore): ProvisionState {
  const found = provisionState(store, effectiveStoreSpec(store))
  if (store.spec.deploy.enabled || found.state === 'deleting') return found
  return { state: 'draft', message: found.message }
}

/** Whether a bucket runs as it is to, also one that came with kubectl and is listed as a draft. */
export const isBucketReady = (store: ObjectStore): boolean =>
  provisionState(store, effectiveStoreSpec(store)).state === 'ready'

/** `restored`: a bucket on the server that begins with the objects of a backup. */
export type StoreVariant = 'server' | 'local' | 'restored' | 'remote'

function variantOf(store: ObjectStore): StoreVariant {
  if (isObjectServer(store.spec)) return 'server'
  if (isExternal(store.spec)) return 'remote'
  return (effectiveStoreSpec(store) ?? store.spec).restoreFrom === undefined ? 'local' : 'restored'
}

/** How the shapes of store are reconciled. */
export const storeRules: ProvisionRules<ObjectStore> = {
  effectiveSpec: effectiveStoreSpec,
  unreadable: (store) => draftOf(storeDraft, store).unreadable,
  finalizer: () => finalizers.objectStore,
  variant: variantOf,
  reportsDrafts: true,
}
