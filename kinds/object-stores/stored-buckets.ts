/** The buckets of a store by the names that the object server keeps them under. */
import { effectiveStoreSpec } from './draft.ts'
import type { ObjectStore, ObjectStoreSpec } from './kind.ts'
import { storedBucketName } from './settings.ts'

/** In the order of the record: the first one stands in the connection Secret. */
export const storedBuckets = (spec: ObjectStoreSpec): string[] =>
  spec.buckets.map((bucket) => storedBucketName(spec, bucket))

/** Every bucket that may have been made for the store, going by its record: those made, those deployed, those saved. */
export function everStored(store: ObjectStore): string[] {
  const effectiveSpec = effectiveStoreSpec(store)
  return [
    ...new Set([
      ...(store.status?.buckets ?? []),
      ...(effectiveSpec === undefined ? [] : storedBuckets(effectiveSpec)),
      ...storedBuckets(store.spec),
    ]),
  ]
}
