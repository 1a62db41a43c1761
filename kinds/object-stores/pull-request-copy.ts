/** The copy of a bucket in the environment of a pull request (docs/reference/projects.md#what-is-copied). */
import { effectiveStoreSpec, isExternal, isObjectServer } from './draft.ts'
import type { ObjectStore, ObjectStoreSpec } from './kind.ts'

/** An empty bucket; undefined for a draft, and for buckets at a cloud. */
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
