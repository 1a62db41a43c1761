/**
 * Sleep-when-idle of a service: whether it is active, why it is not, and the health of copies that the add-on scales
 * (docs/reference/services.md#sleep-when-idle).
 */
import { type Health, isAsleep, startedHealth } from './health.ts'
import type { App, AppSpec, AppStatus } from '../kind.ts'
import type { ServiceView } from '../view.ts'

type Sleep = NonNullable<AppStatus['scaleToZero']>

/**
 * `host` is the host at which the service gets requests, '' for none; `addOn` is whether the serverless add-on, which
 * starts a copy for a request, is installed.
 */
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

/** Whether the add-on scales the copies of a service. */
export const mayScale = (spec: AppSpec, host: string, addOn: boolean): boolean =>
  spec.scaleToZero.enabled && sleepOf(spec, host, addOn).active

/**
 * The health of copies that the add-on scales. A copy that is being started or stopped does not count against the
 * service, only a copy in trouble does. While an attempt runs, and after a failed one, the service is ready only with a
 * copy that is up.
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

/** Which objects of sleep-when-idle the cluster has for a service. */
export interface SleepParts {
  route: boolean
  scaler: boolean
  /** The Service by which the Ingress finds the interceptor. */
  service: boolean
}

/** The fields of a status about sleep; empty for a service that never had sleep-when-idle on. */
export type SleepStatus = Pick<AppStatus, 'scaleToZero' | 'sleeping'>

/** The current sleep of a service. */
export interface SleepNow {
  /** Whether the add-on scales the copies: see `mayScale`. */
  active: boolean
  /** The fields that its status should have. */
  status: SleepStatus
}

/** The current sleep of a service, its health, and where cluster or status differ from it. */
export interface SleepFindings {
  now: SleepNow
  /** Health of the service, from that of its copies. */
  health: Health
  /** Objects of sleep that are missing or left over, in words; empty where `SleepParts` are not known. */
  drift: string[]
  /** The message about sleep that the status should have; '' where the status is right. */
  unsaid: string
}

/** For a service that has sleep-when-idle on or still has objects of it; `host` as in `sleepOf`. */
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

/** Objects of sleep that a service at rest is missing, or has and should not have, in words. */
export function sleepDrift(active: boolean, has: SleepParts): string[] {
  if (!active) return Object.values(has).includes(true) ? ['copies that nothing puts to sleep'] : []
  return [
    ...(has.route ? [] : ['InterceptorRoute']),
    ...(has.scaler ? [] : ['ScaledObject']),
    ...(has.service ? [] : ['Service of the interceptor']),
  ]
}

/** The fields of a ScaledObject that the rule reads; a live one and a trimmed cached one both fit. */
export interface ScalerView {
  metadata: { deletionTimestamp?: string }
  spec?: { minReplicaCount?: number }
}

/**
 * Whether the ScaledObject keeps a copy of a service at rest, as it does while a deploy is verified: a worker died
 * before it lowered the number, or a worker that was cut off raised it after another had ended the deploy.
 */
export const isKeptAwake = (active: boolean, scaler: ScalerView | undefined): boolean =>
  active &&
  scaler !== undefined &&
  scaler.metadata.deletionTimestamp === undefined &&
  (scaler.spec?.minReplicaCount ?? 0) > 0

/** The message about sleep-when-idle that the status should have; '' where the status is right. */
export function unsaidOfSleep({ status }: Pick<App, 'status'>, { scaleToZero: now }: SleepStatus): string {
  const { scaleToZero: said } = status ?? {}
  if (said?.active === now?.active && said?.message === now?.message) return ''
  return now?.message ?? `sleep-when-idle is ${now?.active === true ? 'on' : 'off'}`
}

/** What the status of a ready service does not show yet: that it fell asleep or was woken; '' for neither. */
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
