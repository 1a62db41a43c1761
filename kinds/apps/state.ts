/** The state of a service as callers see it: a pure function of its record (docs/reference/conventions.md#states). */
import type { ResourceState } from '../../contract/fields/words.ts'
import { scheduleFailures } from '../../contract/limits.ts'
import { type ServiceView, viewOf } from './view.ts'
import type { App, LastAttempt } from './kind.ts'

export interface AppState {
  state: ResourceState
  /** Explains a pending or failed state; of a ready one, only that schedules fail again and again. */
  message: string
}

/**
 * The order is deleting > draft > failed > pending > ready. Pending whenever the intent differs from `observedIntent`,
 * whatever the Ready condition says: a caller that waits must not see a ready from before its change.
 */
export function appState(app: App): AppState {
  const view = viewOf(app)
  const { effectiveSpec, intent, ready } = view
  if (app.metadata.deletionTimestamp !== undefined)
    return { state: 'deleting', message: ready?.reason === 'Deleting' ? ready.message : '' }
  if (effectiveSpec === undefined) return { state: 'draft', message: '' }
  if (intent !== app.status?.observedIntent) {
    return {
      state: 'pending',
      message: intent === app.status?.acceptedIntent ? (ready?.message ?? '') : waitingWords(view),
    }
  }
  if (ready?.status === 'True') return { state: 'ready', message: failingWords(app.status?.failingSchedules ?? 0) }
  const message = ready?.message ?? ''
  const failed = ready?.reason === 'ProvisionFailed' || app.status?.lastAttempt?.phase === 'Failed'
  return { state: failed ? 'failed' : 'pending', message }
}

/** What waits for a worker; live settings and repairs are no deploy (docs/reference/services.md#scaling). */
const waitingWords = ({ plan }: ServiceView): string =>
  plan.story === 'deploy' ? 'waiting for the deploy to start' : 'waiting for the change to be applied'

/** docs/reference/functions.md#schedules-that-fail */
function failingWords(schedules: number): string {
  if (schedules === 0) return ''
  const which = schedules === 1 ? '1 schedule' : `${schedules} schedules`
  return `${which} failed ${scheduleFailures} times in a row or more`
}

/** The last attempt as callers see it: an accepted attempt counts as Running before a worker has started it. */
export function lastAttemptOf(app: App): LastAttempt | undefined {
  const asked = viewOf(app).attempt
  const known = app.status?.lastAttempt
  if (asked === undefined || asked.record === known?.id) return known
  return { id: asked.record, phase: 'Running', startedAt: asked.at, summary: 'accepted', errors: [] }
}
