/** Whether the watch should wake a service's workflow: from its record and the health of its objects alone. */
import type { Plan } from '../deploy/plan.ts'
import type { ServiceView } from '../view.ts'
import type { Health } from './health.ts'

export interface WakeReason {
  reason: string
  /** Two wakes with the same key need one pass. */
  key: string
  /**
   * The api that accepted the change wakes the run itself: the watch waits a moment for that before it sends its own
   * wake.
   */
  echo: boolean
  /** The plan, where the wake is about the intent alone. */
  asks?: Plan
}

/** What a service at rest is missing or has too much of, beside its copies. */
export interface Losses {
  missing: readonly string[]
  /** Hosts that the service asks for and another owner has. */
  hosts: readonly string[]
  /** Whether the history of its last success was never written. */
  history: boolean
  /** Whether it fell asleep or was woken since its status was written; '' for neither. */
  turned: string
  /** Whether the ScaledObject keeps a copy running, as while a deploy is verified. */
  kept: boolean
  /** The digests of its objects, where a pass that was cut off overwrote what was applied; else ''. */
  overwritten: string
}

/** What still exists of a service that is removed or undeployed. */
export interface Left {
  pods: number
  /** Whether its claim exists; a service that is only undeployed keeps it. */
  volume: boolean
}

/**
 * Undefined when there is nothing to do: a ready service at its latest intent, a failed one at the same intent, or work
 * in progress whose copies did not change. `generation` is not read: an edit of a draft raises it and must not apply.
 */
export function wakeReasonOf(
  view: ServiceView,
  health: Health,
  left: Left,
  { missing, hosts: lost, history, turned, kept, overwritten }: Losses,
): WakeReason | undefined {
  const { plan } = view
  const { app, attempt, unreadable, ready } = view
  const { acceptedIntent, lastAttempt } = app.status ?? {}
  const healthKey = `${plan.intent} ${health.ready ? 'ready' : `${health.reason} ${health.reason === 'CrashLoop' ? health.restarts : ''}`}`
  if (plan.story === 'remove' || plan.story === 'withdraw') {
    const empty = left.volume ? 'but for its volume' : 'empty'
    return {
      reason: left.pods === 0 ? 'nothing runs any more' : 'to be taken down',
      key: `${plan.intent} ${left.pods === 0 ? empty : 'running'}`,
      echo: false,
    }
  }
  if (plan.story === 'note')
    return { reason: 'edited while changes are pending', key: `note ${app.metadata.generation ?? 0}`, echo: true }
  if (plan.story === 'putBack')
    return { reason: 'a failed deploy is to be taken back', key: `put back ${plan.intent}`, echo: false }
  if (plan.story !== 'rest') {
    if (plan.intent !== acceptedIntent)
      return {
        reason: 'the record asks for something new',
        key: plan.intent,
        echo: attempt?.operation !== 'kubectl' && plan.story === 'deploy',
        asks: plan,
      }
    // The workflow is about to apply the objects, or waits for something that must exist first.
    if (health.reason === 'Missing') return undefined
    // The Ready condition has this reason already.
    if (health.reason === 'Progressing' && ready?.reason === 'Progressing') return undefined
    return { reason: `copies: ${health.message}`, key: healthKey, echo: false }
  }
  if (
    attempt === undefined ||
    unreadable !== undefined ||
    app.metadata.deletionTimestamp !== undefined ||
    !app.spec.deploy.enabled
  )
    return undefined
  // A lost host counts for a failed service, too: only its workflow removes the routes of its earlier release. That run
  // writes the reason HostTaken and waits, so no further wake is needed.
  if (lost.length > 0)
    return ready?.reason === 'HostTaken'
      ? undefined
      : { reason: `not its own: ${lost.join(', ')}`, key: `${plan.intent} lost ${lost.join(' ')}`, echo: false }
  // After a failed attempt objects are applied again by a retry only.
  if (lastAttempt?.phase === 'Failed' && (health.reason === 'Missing' || missing.length > 0)) return undefined
  // The key has `turned`: an object may exist and only be missing in a cache that lags behind, so a service that fell
  // asleep or was woken since is looked at again.
  if (missing.length > 0)
    return {
      reason: `missing: ${missing.join(', ')}`,
      key: `${plan.intent} missing ${missing.join(' ')} ${turned}`,
      echo: false,
    }
  // The caches may have the new status before the new objects, hence `echo`. The key has the health of the copies: a
  // pass before they were up left the service waiting for them, and has to be repeated.
  if (overwritten !== '')
    return { reason: 'written over by a pass that was cut off', key: `over ${overwritten} ${healthKey}`, echo: true }
  // The pass that wrote the success writes the history a moment later, hence `echo`. The key has the status of Ready: a
  // pass that found a copy gone for a moment left the service waiting, and has to be repeated.
  if (history && health.ready)
    return {
      reason: 'the history of its deploy is not written',
      key: `${plan.intent} history ${turned} ${ready?.status ?? ''}`,
      echo: true,
    }
  // The pass that wrote the end of the deploy sets the minimum to 0, a moment before or after, hence `echo`.
  if (kept) return { reason: 'a copy is kept from going', key: `${plan.intent} kept ${turned}`, echo: true }
  if (turned !== '' && ready?.status === 'True') return { reason: turned, key: `${plan.intent} ${turned}`, echo: false }
  if (health.ready === (ready?.status === 'True') && health.reason !== 'Missing') return undefined
  return { reason: `copies: ${health.message}`, key: healthKey, echo: false }
}
