/**
 * Who asked for what a record's spec now has: annotation `svc.dev/edited-by`, written together with the spec, with the
 * generation that this write makes. An edit by kubectl makes another one, so the note then counts no more.
 */
import { z } from 'zod'
import { annotations } from '../meta/annotations.ts'
import { parseAnnotation } from '../meta/parse-annotation.ts'
import type { ResourceMeta } from '../meta/resource.ts'
import { actor as actorText } from '../schema/fields.ts'

const note = z.object({ actor: actorText, generation: z.int() })

/** The metadata of a write that changes the spec, with its actor. */
export const withEditor = <M extends ResourceMeta>(metadata: M, actor: string): M => ({
  ...metadata,
  annotations: {
    ...metadata.annotations,
    [annotations.editedBy]: JSON.stringify({ actor, generation: (metadata.generation ?? 0) + 1 }),
  },
})

/** Who asked for the spec; undefined where that is not known, such as after an edit by kubectl. */
export function editedBy(metadata: ResourceMeta): string | undefined {
  const { value } = parseAnnotation(metadata, annotations.editedBy, note)
  return value?.generation === metadata.generation ? value?.actor : undefined
}
