/** The buckets of a store by their names on the object server. */
import { effectiveStoreSpec } from './draft.ts'
import type { ObjectStore, ObjectStoreSpec } from './kind.ts'
import { storedBucketName } from './settings.ts'

/** In the order of the record: the first bucket is the one in the connection Secret. */
export const storedBuckets = (spec: ObjectStoreSpec): string[] =>
  spec.buckets.map((bucket) => storedBucketName(spec, bucket))

/** Every bucket that may have been made for the store, from its record: the made, the deployed and the saved ones. */
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
