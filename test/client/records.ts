/** Databases and buckets as the api returns them, for tests of waiting and printing. */
import type { RecordView } from '../../client/wait/record.ts'
import type { ResourceSummary } from '../../contract/views/resource.ts'

const summary: ResourceSummary = {
  kind: 'database',
  name: 'calm-otter',
  displayName: 'calm-otter',
  project: 'proj-1a2b3c4d',
  environment: 'production',
  state: 'ready',
  message: '',
  url: '',
  pendingChanges: 0,
  createdAt: '2026-11-21T13:00:00Z',
  details: {},
}

/** A ready record with these changes; `intent` is the one that was reconciled last. */
export const recordOf = (changes: Partial<ResourceSummary> = {}, intent?: string): RecordView => ({
  resource: { ...summary, ...changes },
  spec: {},
  status: intent === undefined ? {} : { observedIntent: intent },
})

export const waiting = (message: string, intent?: string): RecordView => recordOf({ state: 'pending', message }, intent)
