/**
 * The part of a summary that all databases and buckets have in common (docs/reference/conventions.md#resource-summary).
 */
import { defined } from '../../contract/defined.ts'
import type { ResourceSummary } from '../../contract/views/resource.ts'
import { annotations } from '../meta/annotations.ts'
import { pendingChangesOf } from './draft.ts'
import type { ProvisionState, Reconciled } from './state.ts'
import type { Resource } from '../meta/resource.ts'
import { sinceOf } from '../meta/since.ts'
import { withoutNames } from '../meta/without-names.ts'

/** `full` is false for callers who may not change the record: names are left out of messages for them. */
export function recordSummary(
  kind: ResourceSummary['kind'],
  record: Resource<{ project: string; environment: string }, Reconciled>,
  { state, message }: ProvisionState,
  details: Record<string, unknown>,
  full: boolean,
): ResourceSummary {
  const { metadata, spec } = record
  const { name, annotations: notes = {}, creationTimestamp = '' } = metadata
  return {
    kind,
    name,
    displayName: notes[annotations.displayName] ?? name,
    project: spec.project,
    environment: spec.environment,
    state,
    message: full ? message : withoutNames(message),
    url: '',
    pendingChanges: pendingChangesOf({ metadata }).length,
    createdAt: creationTimestamp,
    ...defined({ since: sinceOf(record, state) }),
    details,
  }
}
