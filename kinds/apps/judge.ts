/**
 * How a service is, and what is to be done about it: one rule over what was seen of it, which reads nothing itself. The
 * watch applies the first half to its caches, and a look both.
 */
import {
  appliedText,
  type DeploymentView,
  type Health,
  isAsleep,
  isMisplaced,
  type Made,
  missingKinds,
  type PartKind,
  releaseHealth,
  startedHealth,
} from './health.ts'
import { type HostRules, type LostHost, lostHosts, type PublicAddress, publicAddressOf } from './hosts.ts'
import type { App, AppSpec } from './kind.ts'
import type { PodView } from '../pods/trouble.ts'
import { findSleep, type SleepNow, type SleepParts } from './sleep.ts'
import type { ServiceView } from './view.ts'

/** What was seen of a service at one moment. */
export interface Snapshot {
  deployment: DeploymentView | undefined
  pods: readonly PodView[]
  /** Its objects as the cache has them, and what the last pass noted of what it applied (`appliedText`), if it did. */
  made: Made
  applied?: string | undefined
  /** Whether the serverless add-on is there; asked where sleep-when-idle is on. */
  addOn: boolean
  hosts: HostRules
  /** What it has for its sleep, and the nodes of its project, by `choiceKey`: asked of what rests. */
  sleep?: SleepParts
  nodes?: string
}

/** How it is. */
export interface Assessment {
  address: PublicAddress
  health: Health
  /** What it asks for and another has. */
  lost: readonly LostHost[]
  /** What it should have and has not, or has beside it, in words; of sleep and nodes only where those were seen. */
  missing: readonly string[]
  /** What its objects were made of, where a pass that was cut off wrote over what was applied; '' where none did. */
  overwritten: string
  /** What its status should say of sleep-when-idle; '' where it is right. */
  unsaid: string
  /** Whether it is ready, and to be reached at another address than it was rolled out with. */
  isMoved: boolean
  sleep: SleepNow
}

/** @param spec what should run */
export function assess(view: ServiceView, spec: AppSpec, seen: Snapshot): Assessment {
  const { app, attempt, ready } = view
  const { deployment, made, nodes, applied } = seen
  const asking = { ...app, spec }
  const mayBeAsleep = usesSleep(app, spec, seen.sleep)
  const address = publicAddressOf(asking, seen.hosts.auto)
  const lost = lostHosts(asking, address.claims, seen.hosts)
  const copies = releaseHealth(attempt?.record, deployment, seen.pods)
  const kinds = missingKinds(spec, address.host, made)
  const misplaced = nodes !== undefined && isMisplaced(deployment, nodes) ? [`copies on ${nodes}`] : []
  const found = appliedText(app.metadata.uid ?? '', made)
  const sleep = mayBeAsleep ? findSleep(view, spec, address.host, copies, seen) : undefined
  const health = sleep?.health ?? startedHealth(copies, spec)
  const takenAway = health.takenAway === true ? ['copies'] : []
  return {
    address,
    health,
    lost,
    missing: [...kinds, ...takenAway, ...misplaced, ...(sleep?.drift ?? [])],
    // Of a service whose last pass noted nothing that is not known.
    overwritten: applied !== undefined && applied !== found ? found : '',
    unsaid: sleep?.unsaid ?? '',
    isMoved: ready?.status === 'True' && (app.status?.url ?? '') !== address.url,
    sleep: sleep?.now ?? { active: false, status: {} },
  }
}

/** Most services have nothing of sleep-when-idle: it is not on, was not, and no part of it is there. */
const usesSleep = ({ status }: App, { scaleToZero }: AppSpec, has: SleepParts | undefined): boolean =>
  scaleToZero.enabled || status?.scaleToZero !== undefined || (has !== undefined && Object.values(has).includes(true))

/** What a look observed. */
export interface Observed extends Assessment {
  view: ServiceView
  /** What should run. */
  spec: AppSpec
  /** Whether the record asks for nothing new. */
  isResting: boolean
}

export interface Limits {
  /** Restarts of a new copy that end an attempt, unless the service names a number. */
  crashRestarts: number
  deadlinePassed: boolean
  /** Whether what rests is checked, which a look at a rollout is not for. */
  isDriftCheck: boolean
  /** The attempt whose end the run has to know. */
  awaited?: string | undefined
}

/** What is written, and what the workflow gets to know. */
export type Judgement =
  /** The work is over; `failure` says why when it failed. */
  | { outcome: 'ended'; write: 'success' | 'health' | 'nothing'; failure: string }
  | { outcome: 'ended'; write: 'failure'; why: string; failure: string }
  | { outcome: 'waiting'; write: 'health' }
  /** It has to be made again. */
  | { outcome: 'missing'; write: 'health' | 'nothing' }

export function judge(seen: Observed, { crashRestarts, deadlinePassed, isDriftCheck, awaited }: Limits): Judgement {
  const { view, spec, isResting, health, lost } = seen
  const last = view.app.status?.lastAttempt
  const hasFailed = isResting && last?.phase === 'Failed'
  // The end of the attempt was written, and the worker died before the workflow received the answer.
  const failure = hasFailed && last.id === awaited ? (last.summary ?? '') : ''
  const isGone = health.reason === 'Missing'
  // Something took away the copies that a rollout is judged by: they are started again.
  if (mustBeStarted(seen) && !deadlinePassed) return { outcome: 'missing', write: 'health' }
  if (isGone || lost.length > 0 || isIncomplete(seen) || (isDriftCheck && leadsElsewhere(seen))) {
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

/** No copy starts without its claim, so that is made again also while a rollout waits for them. */
const isIncomplete = ({ isResting, missing, overwritten }: Observed): boolean =>
  isResting ? missing.length > 0 || overwritten !== '' : missing.includes('PersistentVolumeClaim' satisfies PartKind)

/**
 * Whether what rests is to be reached elsewhere than it was rolled out, or its status says something else of its sleep:
 * the platform gives it another address, or hosts that it had to wait for are free by now. Asked of a check of what
 * rests alone: a rollout puts all in place, and its end says so.
 */
function leadsElsewhere({ view, isResting, lost, isMoved, unsaid }: Observed): boolean {
  const regained = lost.length === 0 && view.ready?.reason === 'HostTaken'
  return isResting && (regained || isMoved || unsaid !== '')
}
