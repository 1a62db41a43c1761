/**
 * Who asked for the deletion of a record: annotation `svc.dev/deletion`, written just before the deletion, which itself
 * can hold no such thing.
 */
import { z } from 'zod'
import { annotations } from '../meta/annotations.ts'
import { parseAnnotation } from '../meta/parse-annotation.ts'
import type { ResourceMeta } from '../meta/resource.ts'
import { actor, time } from '../schema/fields.ts'

const deletionRequest = z.object({
  /** '' is svc itself, such as for a backup past its retention. */
  actor,
  /** When it was asked for, RFC 3339, by the clock of the cluster. */
  at: time,
})

export type DeletionRequest = z.output<typeof deletionRequest>

/**
 * How long after its request a deletion still counts as asked for by it, in milliseconds. A process that died between
 * the two leaves the request on a record that lives on, and a later deletion may be one by kubectl.
 */
const countsForMs = 60_000

/** Who asked for the deletion of a record that is being deleted; '' is svc itself. */
export function deletedBy(metadata: ResourceMeta): string {
  const { value } = parseAnnotation(metadata, annotations.deletion, deletionRequest)
  const passed = Date.parse(metadata.deletionTimestamp ?? '') - Date.parse(value?.at ?? '')
  return value !== undefined && Math.abs(passed) <= countsForMs ? value.actor : 'kubectl'
}
