/**
 * Whether the watch should wake a service's workflow: from the record and the health of what was made, nothing else.
 */
import type { Plan, ServiceView } from './view.ts'
import type { Health } from './health.ts'

export interface WakeReason {
  reason: string
  /** Two wakings of the same key need one look. */
  key: string
  /** The api that accepted this wakes the run itself: its wake gets a moment before the watch repeats it. */
  echo: boolean
  /** The plan, where the wake is about nothing but its intent. */
  asks?: Plan
}

/** What is missing of what a service had, beside its copies. */
export interface Losses {
  missing: readonly string[]
  /** Hosts that it asks for and another has. */
  hosts: readonly string[]
  /** Whether the history of its last success was never written. */
  history: boolean
  /** That it fell asleep or was woken since its status was written; '' for neither. */
  turned: string
  /** Whether the ScaledObject asks for a copy, as while a deploy is verified. */
  kept: boolean
  /** What is there, where a pass that was cut off wrote over what was applied; '' where none did. */
  overwritten: string
}

/** What is there of a service that is taken down. */
export interface Left {
  pods: number
  /** Whether its claim is; one that is only taken back keeps it. */
  volume: boolean
}

/**
 * Undefined when there is nothing to look at: a ready service at its latest intent, a failed one at the same intent, or
 * work in progress whose copies did not change. Generation is not asked: editing a draft bumps it and must not apply.
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
    // The workflow is about to make it, or waits for what must come first.
    if (health.reason === 'Missing') return undefined
    // The condition says so already.
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
  // Also of one that failed: nothing else takes the routes away that its release before has. It says so once, and then
  // its workflow waits.
  if (lost.length > 0)
    return ready?.reason === 'HostTaken'
      ? undefined
      : { reason: `not its own: ${lost.join(', ')}`, key: `${plan.intent} lost ${lost.join(' ')}`, echo: false }
  // Made again only by a retry.
  if (lastAttempt?.phase === 'Failed' && (health.reason === 'Missing' || missing.length > 0)) return undefined
  // With the turn: what seems to be missing may be there, and unseen for as long as a cache is behind.
  if (missing.length > 0)
    return {
      reason: `missing: ${missing.join(', ')}`,
      key: `${plan.intent} missing ${missing.join(' ')} ${turned}`,
      echo: false,
    }
  // The caches may have the status before the objects. With the state of the copies: the look that this woke may have
  // come before they were up, and then the record waits for them.
  if (overwritten !== '')
    return { reason: 'written over by a pass that was cut off', key: `over ${overwritten} ${healthKey}`, echo: true }
  // Written by the pass that wrote the success, a moment later. With what the record says: the look that this woke may
  // have found a copy away for a moment, and then the record waits for it.
  if (history && health.ready)
    return {
      reason: 'the history of its deploy is not written',
      key: `${plan.intent} history ${turned} ${ready?.status ?? ''}`,
      echo: true,
    }
  // Set to 0 by the pass that wrote the end of the deploy, a moment before or after.
  if (kept) return { reason: 'a copy is kept from going', key: `${plan.intent} kept ${turned}`, echo: true }
  if (turned !== '' && ready?.status === 'True') return { reason: turned, key: `${plan.intent} ${turned}`, echo: false }
  if (health.ready === (ready?.status === 'True') && health.reason !== 'Missing') return undefined
  return { reason: `copies: ${health.message}`, key: healthKey, echo: false }
}
