/**
 * Who asked for what a record's spec now has, or for another try of it: annotation `svc.dev/edited-by`, written
 * together with that, with the generation that the record then has. An edit by kubectl makes another one, so the note
 * then counts no more; a deploy, which says itself who asked for it, removes the note.
 */
import { z } from 'zod'
import { annotations } from '../meta/annotations.ts'
import { canonical } from '../meta/digest.ts'
import { parseAnnotation } from '../meta/parse-annotation.ts'
import type { ResourceMeta } from '../meta/resource.ts'
import { actor as actorText } from '../schema/fields.ts'

const note = z.object({ actor: actorText, generation: z.int() })

/** The metadata of a write that changes the spec, with its actor. */
export const withEditor = <M extends ResourceMeta>(metadata: M, actor: string): M =>
  withNote(metadata, actor, (metadata.generation ?? 0) + 1)

/** The metadata of a write that asks for another try of the same spec, with its actor. */
export const withRetrier = <M extends ResourceMeta>(metadata: M, actor: string): M =>
  withNote(metadata, actor, metadata.generation ?? 0)

const withNote = <M extends ResourceMeta>(metadata: M, actor: string, generation: number): M => ({
  ...metadata,
  annotations: { ...metadata.annotations, [annotations.editedBy]: JSON.stringify({ actor, generation }) },
})

/**
 * The record after an edit, with its actor if the edit takes effect at once. `effective` is the spec that should be
 * there; without an actor nothing is noted.
 */
export function withLiveEditor<T extends { metadata: ResourceMeta }>(
  effective: (record: T) => object | undefined,
  before: T,
  after: T,
  actor: string | undefined,
): T {
  if (actor === undefined || canonical(effective(before)) === canonical(effective(after))) return after
  return { ...after, metadata: withEditor(after.metadata, actor) }
}

/** Who asked for the spec; undefined where that is not known, such as after an edit by kubectl. */
export function editedBy(metadata: ResourceMeta): string | undefined {
  const { value } = parseAnnotation(metadata, annotations.editedBy, note)
  return value?.generation === metadata.generation ? value?.actor : undefined
}
