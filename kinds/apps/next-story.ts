/** Which story a service's record asks for next: the one decision that the watch, the workflow and the resync share. */

import { annotations, finalizers } from '../annotations.ts'
import { readyOf } from '../conditions.ts'
import { attemptGoesOn, attemptOf } from './attempt.ts'
import { effectiveSpec, lastDeployed, needsDeploy, pendingChanges } from './effective-spec.ts'
import { hasWork, intentOf } from './intent.ts'
import type { App } from './kind.ts'
import { pendingBetween } from './pending.ts'

export type Story =
  /** Nothing to do. */
  | 'rest'
  /** Somebody edited a deployed service with kubectl and nothing was pending: that is a deploy (design, kubectl). */
  | 'adopt'
  /** An accepted attempt has not ended, or is to be run again. */
  | 'deploy'
  /** Somebody edited it with kubectl while edits were pending: the edit joins them (design, kubectl). */
  | 'note'
  /** Only live settings changed, or what was made went away. */
  | 'reconcile'
  /** A deploy failed and the service asks for the last release that was up. */
  | 'putBack'
  /** deploy.enabled was taken back: what runs is removed, the record stays. */
  | 'withdraw'
  | 'remove'

/** What a workflow needs to know of a record to tell its story; plain and small, since it enters the history. */
export interface Plan {
  story: Story
  name: string
  uid: string
  intent: string
  /** Id of the attempt in force, '' when there is none. */
  attempt: string
  operation: string
  project: string
  environment: string
  actor: string
  /**
   * When a worker took the attempt up, milliseconds since 1970; 0 before. Its deadline counts from here, also after a restart, and
   * never from its acceptance: an attempt that was accepted while no worker ran has its whole time, and so has a retry.
   */
  startedAt: number
}

/** The plan of a record that is gone. */
export function restingPlan(name: string): Plan {
  return { story: 'rest', name, uid: '', intent: '', attempt: '', operation: '', project: '', environment: '', actor: '', startedAt: 0 }
}

/** The plan of what a name stands for now, gone or not. */
export const planNow = (name: string, app: App | undefined): Plan => (app === undefined ? restingPlan(name) : planOf(app))

export function planOf(app: App): Plan {
  const attempt = attemptOf(app)
  const last = app.status?.lastAttempt
  const goesOn = attempt !== undefined && last?.id === attempt.record && last.phase === 'Running'
  return {
    story: storyOf(app),
    name: app.metadata.name,
    uid: app.metadata.uid ?? '',
    intent: intentOf(app),
    attempt: attempt?.record ?? '',
    operation: attempt?.operation ?? '',
    project: app.spec.project,
    environment: app.spec.environment,
    actor: attempt?.actor ?? '',
    startedAt: goesOn && last.startedAt !== undefined ? Date.parse(last.startedAt) : 0,
  }
}

function storyOf(app: App): Story {
  if (app.metadata.deletionTimestamp !== undefined) return app.metadata.finalizers?.includes(finalizers.app) === true ? 'remove' : 'rest'
  if (!hasWork(app)) return joinsPending(app) ? 'note' : asksToBePutBack(app) ? 'putBack' : 'rest'
  const wanted = effectiveSpec(app)
  if (wanted === undefined) return 'withdraw'
  if (asksForDeployByEdit(app)) return 'adopt'
  return attemptGoesOn(app) || isRetried(app) ? 'deploy' : 'reconcile'
}

/** True for a deployed record whose spec was edited past the api, with nothing pending. */
export function asksForDeployByEdit(app: App): boolean {
  if (app.metadata.deletionTimestamp !== undefined || !app.spec.deploy.enabled || pendingChanges(app).length > 0) return false
  const deployed = lastDeployed(app)
  return deployed === undefined || attemptOf(app) === undefined || needsDeploy(deployed, app.spec)
}

/** True when more is pending than the record says, because somebody edited it past the api. */
export function joinsPending(app: App): boolean {
  const told = pendingChanges(app)
  const deployed = lastDeployed(app)
  if (!app.spec.deploy.enabled || told.length === 0 || deployed === undefined) return false
  return pendingBetween(deployed, app.spec, false).some((word) => !told.includes(word))
}

/**
 * True when the deploy in force has failed for good, the service wants failed deploys taken back, and a release was up before it. A
 * rollback that fails is not taken back in turn.
 */
export function asksToBePutBack(app: App): boolean {
  const attempt = attemptOf(app)
  const { lastAttempt, release = '', conditions } = app.status ?? {}
  if (app.metadata.deletionTimestamp !== undefined || effectiveSpec(app)?.deploy.rollbackOnFailure !== true) return false
  if (attempt === undefined || attempt.operation === 'rollback' || lastAttempt?.id !== attempt.record || lastAttempt.phase !== 'Failed') return false
  return readyOf(conditions)?.status !== 'True' && release !== '' && release !== attempt.record
}

function isRetried(app: App): boolean {
  return (app.metadata.annotations?.[annotations.retry] ?? '') !== (app.status?.reconcileRetry?.token ?? '')
}
