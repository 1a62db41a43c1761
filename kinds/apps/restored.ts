/** A service as a restore of the platform brings it back: what ran runs again, whatever its tag means by then. */
import { annotations } from '../meta/annotations.ts'
import type { Attempt } from './attempt.ts'
import { digestIn } from './image.ts'
import type { App } from './kind.ts'
import { viewOf } from './view.ts'

/**
 * The attempt names the digest that was frozen for it. Of a git service it becomes a rollback: that takes the image
 * that was built, and builds nothing.
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
