/** A bucket as it is copied into the environment of a pull request (docs/reference/projects.md#what-is-copied). */
import { effectiveStoreSpec, isExternal, isObjectServer } from './draft.ts'
import type { ObjectStore, ObjectStoreSpec } from './kind.ts'

/** An empty one; undefined for a draft, and for buckets in a cloud. */
export function copyOfStore(store: ObjectStore, environment: string): ObjectStoreSpec | undefined {
  const base = effectiveStoreSpec(store)
  if (base === undefined || isObjectServer(base) || isExternal(base)) return undefined
  const { restoreFrom: _, backups, ...kept } = base
  return {
    ...kept,
    environment,
    ...(backups === undefined ? {} : { backups: { ...backups, enabled: false } }),
    deploy: { enabled: false },
  }
}
