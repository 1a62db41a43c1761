/**
 * A service as a restore of the platform writes it: its copies run the image that ran, whatever the tag names by then.
 */
import { annotations } from '../../meta/annotations.ts'
import type { Attempt } from './attempt.ts'
import { digestIn } from './image.ts'
import type { App } from '../kind.ts'
import { viewOf } from '../view.ts'

/**
 * The record with the frozen digest in its attempt. The attempt of a git service becomes a rollback: a rollback runs
 * the image that was built and builds nothing.
 */
export function withFrozenAttempt(app: App): App {
  const view = viewOf(app)
  const { attempt, effectiveSpec } = view
  const image = view.frozenImage?.image ?? ''
  if (attempt === undefined || digestIn(image) === '') return app
  const frozen: Attempt = {
    ...attempt,
    image,
    ...(effectiveSpec?.source.git === undefined ? {} : { operation: 'rollback' }),
  }
  const notes = { ...app.metadata.annotations, [annotations.attempt]: JSON.stringify(frozen) }
  return { ...app, metadata: { ...app.metadata, annotations: notes } }
}
