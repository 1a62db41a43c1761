/** A store as one item of a list (spec, Resource summary). */

import type { ResourceSummary } from '../../contract/resource-views.ts'
import { annotations } from '../annotations.ts'
import { undeployedWords } from '../draft.ts'
import { storeState } from './in-force.ts'
import type { ObjectStore } from './kind.ts'

/** `full` is false for callers who cannot change things: they do not see the names of buckets. */
export function objectStoreSummary(store: ObjectStore, full: boolean): ResourceSummary {
  const { name, annotations: notes = {}, creationTimestamp = '' } = store.metadata
  const { project, environment, placement, buckets } = store.spec
  return {
    kind: 'object-store',
    name,
    displayName: notes[annotations.displayName] ?? name,
    project,
    environment,
    ...storeState(store),
    url: '',
    pendingChanges: undeployedWords(store).length,
    createdAt: creationTimestamp,
    details: { placement, buckets: full ? buckets : [] },
  }
}
