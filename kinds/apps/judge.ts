/**
 * What is to be done about a service that was looked at: one rule over what was observed, which reads nothing itself.
 */

import { readyOf } from '../meta/conditions.ts'
import { type AutoHosts, isMoved } from './address.ts'
import type { Health } from './health.ts'
import type { LostHost } from './hosts.ts'
import type { AppSpec } from './kind.ts'
import { isAsleep, type SleepNow } from './sleep.ts'
import type { ServiceView } from './view.ts'

/** A service at one moment. */
export interface Observed {
  view: ServiceView
  /** What should run. */
  spec: AppSpec
  /** Whether the record asks for nothing new. */
  isResting: boolean
  health: Health
  /** What it asks for and another has. */
  lost: readonly LostHost[]
  /**
   * Whether something beside its Deployment is missing, or all its copies, or they are on other nodes than wanted, or
   * a pass that was cut off wrote over what was applied; asked at rest.
   */
  isIncomplete: boolean
  /** The serverless add-on, as far as it concerns this service. */
  sleep: SleepNow
}

export interface Limits {
  /** Restarts of a new copy that end an attempt, unless the service names a number. */
  crashRestarts: number
  deadlinePassed: boolean
  /** The attempt whose end is awaited; none for a check of what rests. */
  awaited?: string
}

/** What is written, and what the workflow gets to know. */
export type Judgement =
  /** The work is over; `failure` says why when it failed. */
  | { outcome: 'ended'; write: 'success' | 'health' | 'nothing'; failure: string }
  | { outcome: 'ended'; write: 'failure'; why: string; failure: string }
  | { outcome: 'waiting'; write: 'health' }
  /** It has to be made again. */
  | { outcome: 'missing'; write: 'health' | 'nothing' }

export function judge(seen: Observed, { crashRestarts, deadlinePassed, awaited }: Limits): Judgement {
  const { view, spec, isResting, health, lost, isIncomplete } = seen
  const last = view.app.status?.lastAttempt
  const hasFailed = isResting && last?.phase === 'Failed'
  // The end of the attempt was written, and the worker died before the workflow received the answer.
  const failure = hasFailed && last.id === awaited ? (last.summary ?? '') : ''
  const isGone = health.reason === 'Missing'
  // Something took away the copies that a rollout is judged by: they are started again.
  if (mustBeStarted(seen) && !deadlinePassed) return { outcome: 'missing', write: 'health' }
  if (isGone || lost.length > 0 || isIncomplete) {
    if (hasFailed) return { outcome: 'ended', write: 'nothing', failure } // made again only by a retry
    return { outcome: 'missing', write: isResting && isGone ? 'health' : 'nothing' }
  }
  if (health.ready) return { outcome: 'ended', write: 'success', failure: '' }
  if (isResting) return { outcome: 'ended', write: 'health', failure }
  const threshold = spec.deploy.failureThreshold ?? crashRestarts
  const crashed = view.attemptRuns && health.reason === 'CrashLoop' && health.restarts >= threshold
  const isHopeless = view.attemptRuns && health.lasting === true
  if (!crashed && !isHopeless && !deadlinePassed) return { outcome: 'waiting', write: 'health' }
  const why = whyOf(health, crashed, isHopeless)
  return { outcome: 'ended', write: 'failure', why, failure: view.attemptRuns ? why : '' }
}

function whyOf({ message, restarts }: Health, crashed: boolean, isHopeless: boolean): string {
  if (crashed) return `${message}, ${restarts} restarts`
  return isHopeless ? message : `not ready in time: ${message}`
}

const mustBeStarted = ({ view, isResting, sleep, health }: Observed): boolean =>
  sleep.active
    ? view.attemptRuns && health.reason !== 'Missing' && isAsleep(health)
    : !isResting && health.takenAway === true

/**
 * Whether what rests is to be reached elsewhere than it was rolled out: the platform gives it another address, or hosts
 * that it had to wait for are free by now.
 */
export function leadsElsewhere({ view, spec, isResting, lost }: Observed, auto: AutoHosts | undefined): boolean {
  const regained = lost.length === 0 && readyOf<'app'>(view.app.status?.conditions)?.reason === 'HostTaken'
  return isResting && (regained || isMoved(view.app, spec, auto))
}
