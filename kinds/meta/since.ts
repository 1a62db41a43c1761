/** Since when a record has been in its state, for lists (docs/reference/conventions.md#resource-summary). */
import type { ResourceState } from '../../contract/fields/words.ts'
import { readyOf } from './conditions.ts'
import type { Condition, Resource } from './resource.ts'

interface Attempt {
  readonly startedAt?: string | undefined
  readonly completedAt?: string | undefined
}

/**
 * Undefined for a state that lasts, and where the record does not show it.
 * @param attempt the last deploy, where the kind has a record of it
 */
export function sinceOf(
  { metadata, status }: Resource<unknown, { conditions?: Condition[] | undefined }>,
  state: ResourceState,
  { startedAt, completedAt }: Attempt = {},
): string | undefined {
  if (state === 'deleting') return metadata.deletionTimestamp
  if (state !== 'pending' && state !== 'failed') return undefined
  const ofAttempt = state === 'failed' ? completedAt : completedAt === undefined ? startedAt : undefined
  if (ofAttempt !== undefined) return ofAttempt
  const ready = readyOf(status?.conditions)
  return ready === undefined || ready.status === 'True' ? undefined : ready.lastTransitionTime
}
