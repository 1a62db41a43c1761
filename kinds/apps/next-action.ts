/**
 * Which action a service's record asks for next: the one decision that the watch, the workflow and the resync share.
 */

import { annotations, finalizers } from '../meta/annotations.ts'
import type { App } from './kind.ts'
import { type ServiceView, viewOf } from './view.ts'

/** The words are part of histories, and stay. */
export type ReconcileAction =
  /** Nothing to do. */
  | 'rest'
  /**
   * An edit by kubectl of a deployed service without pending changes: that is a deploy
   * (docs/reference/deployments.md#edits-by-kubectl).
   */
  | 'adopt'
  /** An accepted attempt has not ended, or is to be run again. */
  | 'deploy'
  /**
   * An edit by kubectl while changes were pending: the edit joins them
   * (docs/reference/deployments.md#edits-by-kubectl).
   */
  | 'note'
  /** Only live settings changed, or what was made went away. */
  | 'reconcile'
  /** A deploy failed and the service asks for the last release that was up. */
  | 'putBack'
  /** deploy.enabled was taken back: what runs is removed, the record stays. */
  | 'withdraw'
  | 'remove'

/** What a workflow needs to know of a record to act on it; plain and small, since it enters the history. */
export interface Plan {
  /** The action; recorded histories hold it by this name, so the name stays. */
  story: ReconcileAction
  name: string
  uid: string
  intent: string
  /** Id of the current attempt, '' when there is none. */
  attempt: string
  operation: string
  project: string
  environment: string
  actor: string
  /**
   * When a worker started the attempt, milliseconds since 1970; 0 before. Its deadline counts from here, also after a
   * restart, and never from its acceptance: an attempt that was accepted while no worker ran has its whole time, and so
   * has a retry.
   */
  startedAt: number
}

/** The plan of a record that is gone. */
export function restingPlan(name: string): Plan {
  return {
    story: 'rest',
    name,
    uid: '',
    intent: '',
    attempt: '',
    operation: '',
    project: '',
    environment: '',
    actor: '',
    startedAt: 0,
  }
}

/** The plan of what a name stands for now, gone or not. */
export const planNow = (name: string, app: App | undefined): Plan =>
  app === undefined ? restingPlan(name) : planOf(viewOf(app))

/** Views are made once of a version of a record, and so are their plans. */
const plans = new WeakMap<ServiceView, Plan>()

export function planOf(view: ServiceView): Plan {
  const plan = plans.get(view) ?? makePlan(view)
  plans.set(view, plan)
  return plan
}

function makePlan(view: ServiceView): Plan {
  const { app, attempt, attemptRuns, intent } = view
  const startedAt = app.status?.lastAttempt?.startedAt
  return {
    story: nextAction(view),
    name: app.metadata.name,
    uid: app.metadata.uid ?? '',
    intent,
    attempt: attempt?.record ?? '',
    operation: attempt?.operation ?? '',
    project: app.spec.project,
    environment: app.spec.environment,
    actor: attempt?.actor ?? '',
    startedAt: attemptRuns && startedAt !== undefined ? Date.parse(startedAt) : 0,
  }
}

function nextAction(view: ServiceView): ReconcileAction {
  const { app, effectiveSpec, attemptGoesOn } = view
  if (app.metadata.deletionTimestamp !== undefined)
    return app.metadata.finalizers?.includes(finalizers.app) === true ? 'remove' : 'rest'
  if (!hasWork(view)) return joinsPending(view) ? 'note' : asksForRollback(view) ? 'putBack' : 'rest'
  if (effectiveSpec === undefined) return 'withdraw'
  if (asksForDeployByEdit(view)) return 'adopt'
  return attemptGoesOn || isRetried(app) ? 'deploy' : 'reconcile'
}

/**
 * Whether the record asks for something that has not been worked off yet. A draft that never ran needs no workflow at
 * all.
 */
function hasWork({ app: { status }, effectiveSpec, intent }: ServiceView): boolean {
  const wasObserved = status?.observedIntent !== undefined || status?.acceptedIntent !== undefined
  return intent !== status?.observedIntent && (effectiveSpec !== undefined || wasObserved)
}

/** True for a record whose spec was edited past the api with nothing pending, or that was enabled so as a draft. */
export function asksForDeployByEdit(view: ServiceView): boolean {
  const { app, attempt, pendingChanges } = view
  if (app.metadata.deletionTimestamp !== undefined || !app.spec.deploy.enabled) return false
  if (pendingChanges.length > 0) return pendingChanges.includes('created')
  const { undeployed } = view // found only here: at rest it is not needed
  return undeployed === undefined || attempt === undefined || undeployed.length > 0
}

/** True when more is pending than the record says, because it was edited past the api. */
export function joinsPending(view: ServiceView): boolean {
  const { app, pendingChanges } = view
  if (!app.spec.deploy.enabled || pendingChanges.length === 0) return false
  return view.undeployed?.some((word) => !pendingChanges.includes(word)) === true
}

/**
 * True when the deploy in effect has failed for good, the service wants failed deploys rolled back, and a release was
 * up before it. A rollback that fails is not rolled back in turn.
 */
export function asksForRollback({ app, attempt, effectiveSpec, ready }: ServiceView): boolean {
  const { lastAttempt, release = '' } = app.status ?? {}
  if (app.metadata.deletionTimestamp !== undefined || effectiveSpec?.deploy.rollbackOnFailure !== true) return false
  if (
    attempt === undefined ||
    attempt.operation === 'rollback' ||
    lastAttempt?.id !== attempt.record ||
    lastAttempt.phase !== 'Failed'
  )
    return false
  return ready?.status !== 'True' && release !== '' && release !== attempt.record
}

function isRetried(app: App): boolean {
  return (app.metadata.annotations?.[annotations.retry] ?? '') !== (app.status?.reconcileRetry?.token ?? '')
}
