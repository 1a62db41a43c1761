/**
 * Sleep-when-idle of a service: whether it works, what is missing otherwise, and how copies are judged that come and go
 * (docs/reference/services.md#sleep-when-idle).
 */
import { type Health, isAsleep, startedHealth } from './health.ts'
import type { App, AppSpec, AppStatus } from './kind.ts'
import type { ServiceView } from './view.ts'

type Sleep = NonNullable<AppStatus['scaleToZero']>

/** `host` is the one requests come in for, '' for none; the add-on is what wakes a service when a request comes. */
export function sleepOf({ autoscaling }: Pick<AppSpec, 'autoscaling'>, host: string, addOn: boolean): Sleep {
  const missing = [
    ...(addOn ? [] : ['the serverless add-on is not installed']),
    ...(host === '' ? ['the service has no public host'] : []),
    ...(autoscaling === undefined ? [] : ['CPU autoscaling is on']),
  ]
  return missing.length === 0
    ? { active: true }
    : { active: false, message: `sleep-when-idle is saved but not active: ${missing.join(', ')}` }
}

/** Whether the copies of a service are the add-on's to scale. */
export const mayScale = (spec: AppSpec, host: string, addOn: boolean): boolean =>
  spec.scaleToZero.enabled && sleepOf(spec, host, addOn).active

/**
 * The health of copies that the add-on scales. They come and go: only trouble of one counts against the service, not
 * that one is being started or stopped. While an attempt runs, and after one that failed, it takes a copy that is up.
 */
export function healthAwakeOrNot(health: Health, { app: { status }, attemptRuns }: ServiceView): Health {
  if (health.reason === 'Missing') return health
  const isUnproven = attemptRuns || status?.lastAttempt?.phase === 'Failed'
  if (isAsleep(health) && isUnproven) {
    const message = attemptRuns
      ? 'waiting for a copy to be started, to verify the deploy'
      : 'asleep since its deploy failed: a request starts it once more'
    return { ...health, ready: false, reason: 'Progressing', message }
  }
  if (isAsleep(health)) return { ...health, ready: true, reason: 'Ready', message: 'asleep: a request starts it' }
  return isUnproven || health.ready || health.reason !== 'Progressing'
    ? health
    : { ...health, ready: true, reason: 'Ready' }
}

/** What the cluster has for a service to sleep. */
export interface SleepParts {
  route: boolean
  scaler: boolean
  /** The Service by which the Ingress finds the interceptor. */
  service: boolean
}

/** What the status of a service says of its sleep; nothing for one that never had it on. */
export type SleepStatus = Pick<AppStatus, 'scaleToZero' | 'sleeping'>

/** The sleep of a service, as it is now. */
export interface SleepNow {
  /** Whether the add-on scales the copies: see `mayScale`. */
  active: boolean
  /** What its status should say. */
  status: SleepStatus
}

/** The sleep of a service, and what follows from it. */
export interface SleepFindings {
  now: SleepNow
  /** Of the service, by that of its copies. */
  health: Health
  /** What it is missing for its sleep, or has beside what it should have, where that was seen. */
  drift: string[]
  /** What its status should say of it; '' where it is right. */
  unsaid: string
}

/** For a service that has sleep-when-idle on, or something of it left; `host` as `sleepOf` takes it. */
export function findSleep(
  view: ServiceView,
  spec: AppSpec,
  host: string,
  copies: Health,
  { addOn, sleep: has }: { addOn: boolean; sleep?: SleepParts },
): SleepFindings {
  const active = mayScale(spec, host, addOn)
  const health = active ? healthAwakeOrNot(copies, view) : startedHealth(copies, spec)
  const status = sleepStatus(view.app, spec, host, { addOn, asleep: isAsleep(health) })
  return {
    now: { active, status },
    health,
    drift: has === undefined ? [] : sleepDrift(active, has),
    unsaid: unsaidOfSleep(view.app, status),
  }
}

/** What a resting service is missing for its sleep, or has beside what it should have, in words. */
export function sleepDrift(active: boolean, has: SleepParts): string[] {
  if (!active) return Object.values(has).includes(true) ? ['copies that nothing puts to sleep'] : []
  return [
    ...(has.route ? [] : ['InterceptorRoute']),
    ...(has.scaler ? [] : ['ScaledObject']),
    ...(has.service ? [] : ['Service of the interceptor']),
  ]
}

/** What the rule needs of a ScaledObject; a live one and a trimmed cached one both fit. */
export interface ScalerView {
  metadata: { deletionTimestamp?: string }
  spec?: { minReplicaCount?: number }
}

/**
 * Whether the add-on keeps a copy of a resting service, as it does while a deploy is verified: a worker died before it
 * let the last copy go, or one that was cut off asked for a copy after another worker had ended the deploy.
 */
export const isKeptAwake = (active: boolean, scaler: ScalerView | undefined): boolean =>
  active &&
  scaler !== undefined &&
  scaler.metadata.deletionTimestamp === undefined &&
  (scaler.spec?.minReplicaCount ?? 0) > 0

/** What the status should say of sleep-when-idle, where it says something else; '' where it is right. */
export function unsaidOfSleep({ status }: Pick<App, 'status'>, { scaleToZero: now }: SleepStatus): string {
  const { scaleToZero: said } = status ?? {}
  if (said?.active === now?.active && said?.message === now?.message) return ''
  return now?.message ?? `sleep-when-idle is ${now?.active === true ? 'on' : 'off'}`
}

/** What the status does not say yet of a service that is well: that it sleeps, or does not any more; '' for nothing. */
export function sleepTurn({ status }: Pick<App, 'status'>, active: boolean, health: Health): string {
  if (!active || !health.ready || isAsleep(health) === (status?.sleeping ?? false)) return ''
  return isAsleep(health) ? 'fell asleep' : 'was woken'
}

export function sleepStatus(
  { status }: Pick<App, 'status'>,
  spec: AppSpec,
  host: string,
  seen: { addOn: boolean; asleep: boolean },
): SleepStatus {
  const scaleToZero = observed(status, spec, host, seen.addOn)
  return scaleToZero === undefined ? {} : { scaleToZero, sleeping: scaleToZero.active && seen.asleep }
}

function observed(status: AppStatus | undefined, spec: AppSpec, host: string, addOn: boolean): Sleep | undefined {
  if (spec.scaleToZero.enabled) return sleepOf(spec, host, addOn)
  return status?.scaleToZero === undefined ? undefined : { active: false }
}
