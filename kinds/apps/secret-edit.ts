/**
 * The mark of an edit of secret variables: their values live outside of the record, so the record shows when they
 * change.
 */
import { annotations } from '../meta/annotations.ts'
import type { App } from './kind.ts'

/** After this long an edit that never ended is taken for dead; one write takes 15 s at most. */
const openMs = 60_000

/** Written before the values are; `id` is random. */
export function openSecretEdit(at: Date, id: string): string {
  return `open ${at.toISOString()} ${id}`
}

/** Written once the values are there. */
export function doneSecretEdit(id: string): string {
  return `done ${id}`
}

/** Undefined when no secret was edited since the last deploy. */
export function secretEditOf(app: App): string | undefined {
  return app.metadata.annotations?.[annotations.secretEdit]
}

/** Whether an edit may be writing values right now: which of them a deploy takes is not known then. */
export function secretEditGoesOn(app: App, now: Date): boolean {
  const [word, at = ''] = (secretEditOf(app) ?? '').split(' ')
  return word === 'open' && now.getTime() - Date.parse(at) < openMs
}
