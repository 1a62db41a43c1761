/** The intent token of a service: it differs from status.observedIntent exactly when there is work to do. */

import { annotations } from '../annotations.ts'
import { digest } from '../digest.ts'
import { attemptOf } from './attempt.ts'
import { effectiveSpec } from './effective-spec.ts'
import type { App } from './kind.ts'

/**
 * Over uid, the spec in force, the accepted attempt, the retry token and the deletion. Generation will not do: editing a draft
 * bumps it and must not apply, while a redeploy may change annotations only.
 */
export function intentOf(app: App): string {
  const intent = known.get(app) ?? computed(app)
  known.set(app, intent)
  return intent
}

/** Records are never changed in place: the watch and every read of a status ask the same object again and again. */
const known = new WeakMap<App, string>()

function computed(app: App): string {
  if (app.metadata.deletionTimestamp !== undefined) return digest([app.metadata.uid, 'deleted'])
  const spec = effectiveSpec(app)
  if (spec === undefined) return digest([app.metadata.uid, 'draft'])
  return digest([app.metadata.uid, spec, attemptOf(app)?.record, app.metadata.annotations?.[annotations.retry]])
}

/** Whether the record asks for something that has not been worked off yet. */
export function hasWork(app: App): boolean {
  if (app.metadata.deletionTimestamp === undefined && effectiveSpec(app) === undefined) return wasObserved(app) && intentOf(app) !== app.status?.observedIntent
  return intentOf(app) !== app.status?.observedIntent
}

/** A draft that never ran needs no workflow at all. */
function wasObserved(app: App): boolean {
  return app.status?.observedIntent !== undefined || app.status?.acceptedIntent !== undefined
}
