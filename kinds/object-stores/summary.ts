/** A store as one item of a list. */
import type { ResourceSummary } from '../../contract/views/resource.ts'
import { recordSummary } from '../provision/record-summary.ts'
import { storeState } from './draft.ts'
import type { ObjectStore } from './kind.ts'

/** `full` is false for callers who may not change it: they do not see the names of buckets. */
export function objectStoreSummary(store: ObjectStore, full: boolean): ResourceSummary {
  const { placement, buckets } = store.spec
  return recordSummary('object-store', store, storeState(store), { placement, buckets: full ? buckets : [] }, full)
}
