/**
 * The annotation that marks an edit of secret variables. Their values are in a Secret, not in the record, so the record
 * shows by this mark that they changed.
 */
import { openEditMs } from '../../../contract/process-limits.ts'
import { annotations } from '../../meta/annotations.ts'
import type { App } from '../kind.ts'

/** The mark while the values are being written; `id` is random. */
export function openSecretEdit(at: Date, id: string): string {
  return `open ${at.toISOString()} ${id}`
}

/** The mark once the values are written. */
export function doneSecretEdit(id: string): string {
  return `done ${id}`
}

/** Undefined when no secret was edited since the last deploy. */
export function secretEditOf(app: App): string | undefined {
  return app.metadata.annotations?.[annotations.secretEdit]
}

/** Whether an edit may be writing values right now: a deploy could not know which of them it takes. */
export function secretEditGoesOn(app: App, now: Date): boolean {
  const [word, at = ''] = (secretEditOf(app) ?? '').split(' ')
  return word === 'open' && now.getTime() - Date.parse(at) < openEditMs
}
