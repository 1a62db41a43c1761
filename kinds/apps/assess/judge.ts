/**
 * The state of a service and what a pass has to do about it: pure rules over a snapshot. The watch uses `assess` on its
 * caches; a pass uses `assess` and `judge`.
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
import { type HostRules, type LostHost, lostHosts, type PublicAddress, publicAddressOf } from '../hosts.ts'
import type { App, AppSpec } from '../kind.ts'
import { systemNamespace } from '../../meta/group.ts'
import type { PodView } from '../../pods/trouble.ts'
import { findSleep, type SleepNow, type SleepParts } from './sleep.ts'
import type { ServiceView } from '../view.ts'

/** The objects of a service at one moment. */
export interface Snapshot {
  deployment: DeploymentView | undefined
  pods: readonly PodView[]
  /**
   * Its objects as the cache has them, and the digests that the last pass recorded of what it applied (`appliedText`),
   * if it did.
   */
  made: Made
  applied?: string | undefined
  /** Whether the serverless add-on is installed; looked up where sleep-when-idle is on. */
  addOn: boolean
  hosts: HostRules
  /** The deployment records. */
  history: DeploymentRecords
  /** The objects of its sleep, and the nodes of its project by `choiceKey`: read only for a service at rest. */
  sleep?: SleepParts
  nodes?: string
}

/** The state of a service, from a snapshot. */
export interface Assessment {
  address: PublicAddress
  health: Health
  /** The hosts that the service asks for and another owner has. */
  lost: readonly LostHost[]
  /**
   * What the service should have and has not, or has and should not have, in words. Sleep and nodes count only where
   * the snapshot has them.
   */
  missing: readonly string[]
  /**
   * The digests that its objects carry, where a pass that was cut off overwrote what the last pass applied; else ''.
   */
  overwritten: string
  /** The message about sleep-when-idle that its status should have; '' where the status has it. */
  unsaid: string
  /** Whether it is ready and its address differs from the one it was rolled out with. */
  isMoved: boolean
  /** True when the current attempt succeeded and its worker died before its history was written. */
  historyMissing: boolean
  sleep: SleepNow
}

/** @param spec the effective spec */
export function assess(view: ServiceView, spec: AppSpec, seen: Snapshot): Assessment {
  const { app, attempt, ready, attemptSucceeded } = view
  const { deployment, made, nodes, applied } = seen
  const asking = { ...app, spec }
  const mayBeAsleep = usesSleep(app, spec, seen.sleep)
  const historyMissing = attemptSucceeded && !isInHistory(seen.history, view, attempt?.at)
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
    // The last pass may have recorded no digests: then nothing is known to be overwritten.
    overwritten: applied !== undefined && applied !== found ? found : '',
    unsaid: sleep?.unsaid ?? '',
    isMoved: ready?.status === 'True' && (app.status?.url ?? '') !== address.url,
    historyMissing,
    sleep: sleep?.now ?? { active: false, status: {} },
  }
}

/** The cache of deployment records; one that is behind makes a look write the same history twice. */
interface DeploymentRecords {
  get: (name: string, namespace: string) => { status?: ActiveStatus | undefined } | undefined
}

/** The fields of the record `<app>-active` that the rule reads. */
interface ActiveStatus {
  phase?: string | undefined
  startedAt?: string | undefined
}

/**
 * Whether the history has the success of the attempt that was accepted at the time `at`: the record `<app>-active` gets
 * the phase `Available` as its last write (docs/reference/deployments.md#history-of-an-attempt).
 */
export function isInHistory(
  history: DeploymentRecords,
  { activeRecord }: ServiceView,
  at: string | undefined,
): boolean {
  const { phase, startedAt } = history.get(activeRecord, systemNamespace)?.status ?? {}
  return phase === 'Available' && startedAt === at
}

/**
 * Most services have nothing to do with sleep-when-idle: it is off, their status has nothing of it, and none of its
 * objects exists.
 */
const usesSleep = ({ status }: App, { scaleToZero }: AppSpec, has: SleepParts | undefined): boolean =>
  scaleToZero.enabled || status?.scaleToZero !== undefined || (has !== undefined && Object.values(has).includes(true))

/** What a pass observed of a service. */
export interface Observed extends Assessment {
  view: ServiceView
  /** The effective spec. */
  spec: AppSpec
  /** Whether the intent of the record has been reconciled. */
  isResting: boolean
}

export interface Limits {
  /** So many restarts of a new copy end an attempt, unless the service sets its own number. */
  crashRestarts: number
  deadlinePassed: boolean
  /** Whether the pass checks a service at rest for drift; false for a pass of a rollout. */
  isDriftCheck: boolean
  /** The attempt whose failure the run reports to its caller. */
  awaited?: string | undefined
}

/** Which status the pass writes, and what the workflow learns of it. */
export type Judgement =
  /** The work is over; `failure` is the reason when it failed, else ''. */
  | { outcome: 'ended'; write: 'success' | 'health' | 'nothing'; failure: string }
  | { outcome: 'ended'; write: 'failure'; why: string; failure: string }
  | { outcome: 'waiting'; write: 'health' }
  /** The objects of the service have to be applied again. */
  | { outcome: 'missing'; write: 'health' | 'nothing' }

/** What a pass observed of a service, and the judgement of that. */
export interface Judged extends Observed {
  judgement: Judgement
}

export function judge(seen: Observed, { crashRestarts, deadlinePassed, isDriftCheck, awaited }: Limits): Judgement {
  const { view, spec, isResting, health, lost } = seen
  const last = view.app.status?.lastAttempt
  const hasFailed = isResting && last?.phase === 'Failed'
  // The end of the attempt was written, and the worker died before the workflow received the answer.
  const failure = hasFailed && last.id === awaited ? (last.summary ?? '') : ''
  const isGone = health.reason === 'Missing'
  // Another writer removed the copies by which a rollout is judged: the next pass starts them again.
  if (mustBeStarted(seen) && !deadlinePassed) return { outcome: 'missing', write: 'health' }
  // At its deadline a rollout ends, also where another writer removes again and again what each pass applies.
  const isMadeAgain = (isGone || isIncomplete(seen)) && (isResting || !deadlinePassed)
  if (isMadeAgain || lost.length > 0 || (isDriftCheck && leadsElsewhere(seen))) {
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
 * Whether objects have to be applied again. No copy starts without its claim, so a missing claim counts during a
 * rollout, too.
 */
const isIncomplete = ({ isResting, missing, overwritten }: Observed): boolean =>
  isResting ? missing.length > 0 || overwritten !== '' : missing.includes('PersistentVolumeClaim' satisfies PartKind)

/**
 * Whether a service at rest has another address than it was rolled out with, or its status has an outdated message
 * about sleep: the platform gives it another address, or a host that it waited for is free. A rollout needs no such
 * check: its end writes address and status.
 */
function leadsElsewhere({ view, isResting, lost, isMoved, unsaid }: Observed): boolean {
  const regained = lost.length === 0 && view.ready?.reason === 'HostTaken'
  return isResting && (regained || isMoved || unsaid !== '')
}
