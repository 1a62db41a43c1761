/**
 * Second half of a look: writes its verdict, the health of the copies or the end of an attempt, and does what follows:
 * webhooks, Events and the history, and the removal of what a success replaced. The history of a failure is written
 * before the status, so that a pass after a crash between the two writes repeats it; that of a success is in the status
 * (docs/reference/deployments.md#history-of-an-attempt).
 */
import type { ReadyReason } from '../../kinds/meta/condition-reasons.ts'
import type { Attempt } from '../../kinds/apps/deploy/attempt.ts'
import type { Judged, Limits, Observed } from '../../kinds/apps/assess/judge.ts'
import {
  acceptedOf,
  acceptedStep,
  endSteps,
  appendAttemptLog,
  writeActiveRecord,
} from '../../records/store/attempt-history.ts'
import { tailsOf } from '../kube/pod-tails.ts'
import { type ServiceView, successesIn, viewOf } from '../../kinds/apps/view.ts'
import type { App, AppStatus } from '../../kinds/apps/kind.ts'
import { recordEvent } from '../kube/event.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { says, type StatusChange, writeAppStatus } from '../kube/write-status.ts'
import { notifyEnded } from '../webhooks/notify.ts'
import { dropRoutes } from './host-free.ts'
import type { Seen } from './messages.ts'
import { namedSchedules, reconcileSchedules } from './schedules.ts'
import { letSleep, letSleepIfMay, sleepIfKeptAwake } from './sleep.ts'
import { usedVolume } from './volume.ts'
import { pruneRecords, removeObjectsIn, removeOldReleases } from './remove-objects.ts'

/** Writes the verdict, and does what follows from it. `applied`: what the pass before this look applied. */
export async function writeVerdict(
  needs: ActivityNeeds,
  seen: Judged,
  { isDriftCheck, awaited }: Limits,
  applied?: string,
): Promise<Seen> {
  const { view, health, isResting, judgement } = seen
  const written = await write(needs, seen, applied)
  const current = viewOf(isDriftCheck && isResting ? await reconcileResting(needs, seen, written) : written)
  const { plan } = current
  // An earlier pass may have written the end and its worker died before the webhooks were sent.
  const wasOver = view.app.status?.lastAttempt?.phase !== 'Running'
  await Promise.all([
    judgement.outcome === 'ended' && awaited !== undefined ? notifyEnded(needs, written, wasOver) : undefined,
    judgement.write === 'success' ? afterReady(needs, seen, current) : undefined,
  ])
  if (judgement.outcome === 'ended') {
    const message = judgement.write === 'failure' ? judgement.why : health.message
    return { outcome: 'ended', failure: judgement.failure, message, plan }
  }
  return judgement.outcome === 'waiting'
    ? { outcome: 'waiting', message: health.message, plan }
    : { outcome: 'missing', plan }
}

/** Repairs what an earlier pass may have left wrong at a resting service: its schedules, and a copy kept awake. */
async function reconcileResting(needs: ActivityNeeds, { view, spec, sleep }: Observed, app: App): Promise<App> {
  const reconciled = spec.source.function === undefined ? app : await reconcileSchedules(needs, app)
  if (sleep.active) await sleepIfKeptAwake(needs, view.app, spec)
  return reconciled
}

/** Returns the written record. Routes go first, so that another service gets its host even if the write fails. */
async function write(needs: ActivityNeeds, seen: Judged, applied?: string): Promise<App> {
  const { view, spec, lost, judgement } = seen
  if (lost.length > 0) await dropRoutes(needs, view.app, spec, lost)
  switch (judgement.write) {
    case 'success':
      return endReady(needs, seen, applied)
    case 'failure':
      return endFailed(needs, seen, judgement.why)
    case 'health':
      return writeHealth(needs, seen, applied)
    case 'nothing':
      return view.app
    default:
      return judgement satisfies never
  }
}

/**
 * Writes the status of a service whose copies are all ready: the attempt succeeded, or a disturbance is over.
 * `applied`: what the pass before this look applied, undefined if there was no such pass.
 */
async function endReady(needs: ActivityNeeds, seen: Observed, applied?: string): Promise<App> {
  const { view, spec, health, sleep, address, historyMissing } = seen
  const { app, attempt, attemptRuns: running, intent: observedIntent, namespace, leaving } = view
  const completedAt = needs.now().toISOString()
  const last = lastOf(app, attempt)
  const ready: StatusChange<AppStatus> = {
    observedGeneration: app.metadata.generation,
    applied,
    observedIntent,
    acceptedIntent: observedIntent,
    replicas: health.replicas,
    targetNamespace: namespace,
    url: address.url,
    hosts: address.claims,
    image: view.image,
    ...sleep.status,
    release: attempt?.record,
    ...(attempt === undefined || spec.source.function === undefined ? {} : namedSchedules(app, spec, attempt.record)),
    ...(leaving.length === 0 ? {} : { leaving: [] }),
    ...(spec.volume === undefined ? {} : usedVolume(needs, view)),
  }
  // The service has moved and runs here now: its objects in former namespaces go before the status drops their names.
  for (const left of leaving) await removeObjectsIn(needs, left, app.metadata.uid ?? '')
  const ended = {
    phase: 'Succeeded' as const,
    completedAt,
    summary: health.message,
    errors: attempt?.because === undefined ? [] : [attempt.because],
  }
  const lastAttempt = running ? { ...last, ...ended } : last
  return writeAppStatus(
    needs,
    app,
    { ready: true, reason: 'Ready', message: health.message },
    {
      ...ready,
      ...(running ? { lastAttempt } : {}),
      // Where the history is missing, a worker of an earlier release may have written the end alone.
      ...(running || historyMissing ? { history: successesIn({ ...app.status, lastAttempt }) } : {}),
      ...(running && app.status?.failingSchedules !== undefined ? { failingSchedules: 0 } : {}),
    },
  )
}

/**
 * Work after the status of a success, since callers wait for that status: removes what the attempt replaced.
 * `<app>-active` is written last: while it is missing, the next look repeats all of this.
 */
async function afterReady(needs: ActivityNeeds, seen: Observed, ended: ServiceView): Promise<void> {
  const { view, spec, health, sleep, historyMissing } = seen
  const { app, attempt, attemptRuns, intent, ready, namespace } = view
  const isNews = attemptRuns || app.status?.observedIntent !== intent || ready?.status !== 'True'
  if (attempt === undefined || (!isNews && !historyMissing)) return
  await Promise.all([
    removeOldReleases(needs, app, namespace, attempt),
    // With the record as written: its release is the rollback target now, and the release before may be pruned.
    pruneRecords(needs, ended),
    sleep.active ? letSleep(needs, app, spec) : undefined,
    spec.source.function === undefined ? undefined : reconcileSchedules(needs, ended.app),
  ])
  await writeActiveRecord(needs, view, spec, {
    phase: 'Available',
    availableReplicas: health.replicas.available,
    healthCheck: 'ready',
  })
}

/** Writes the failure of an attempt. Its copies may still become ready later; a later look writes Ready then. */
export async function endFailed(
  needs: ActivityNeeds,
  { view, spec, health }: Pick<Observed, 'view' | 'spec' | 'health'>,
  failure: string,
  reason: ReadyReason<'app'> = health.reason,
): Promise<App> {
  const { app, attempt, attemptRuns: running, intent: observedIntent } = view
  const completedAt = needs.now().toISOString()
  const ended = { phase: 'Failed' as const, completedAt, summary: failure, errors: [failure] }
  const last = lastOf(app, attempt)
  if (running && attempt !== undefined) {
    const end = { ...ended, startedAt: last.startedAt ?? attempt.at }
    const tails = await tailsOf(needs, view.namespace, health)
    await Promise.all([
      appendAttemptLog(
        needs,
        view,
        attempt.record,
        [acceptedStep(acceptedOf(attempt)), ...endSteps(attempt.record, end, view.frozenImage)],
        { tails, image: view.frozenImage?.image },
      ),
      recordEvent(
        needs.client,
        app,
        {
          type: 'Warning',
          reason: 'DeployFailed',
          message: `${attempt.record}: ${failure}`,
          occurrence: `${attempt.record} ${end.startedAt}`,
        },
        needs.now(),
      ),
      pruneRecords(needs, view),
      letSleepIfMay(needs, app, spec),
    ])
  }
  return writeAppStatus(
    needs,
    app,
    { ready: false, reason, message: failure },
    {
      observedIntent,
      acceptedIntent: observedIntent,
      replicas: health.replicas,
      ...(running ? { lastAttempt: { ...last, ...ended } } : {}),
    },
  )
}

/**
 * Writes the health of the copies, once per change: to the status, to the log of a running attempt, and as an Event
 * when something is wrong. For a resting service also `applied`: else drift checks would take the objects of the last
 * pass for a write of another pass until its copies are ready.
 */
async function writeHealth(needs: ActivityNeeds, seen: Observed, applied?: string): Promise<App> {
  const { view, spec, health, isResting } = seen
  const { app, attempt, attemptRuns, ready } = view
  const { reason, message, replicas } = health
  const noted = isResting && applied !== app.status?.applied ? applied : undefined
  if (ready?.status === 'False' && says(ready, message) && noted === undefined) return app
  const at = needs.now()
  if (attemptRuns && attempt !== undefined) {
    await appendAttemptLog(needs, view, attempt.record, [{ at: at.toISOString(), text: message }])
    await writeActiveRecord(needs, view, spec, {
      phase: 'RollingOut',
      availableReplicas: replicas.available,
      healthCheck: 'rolling out',
    })
  }
  const isTrouble = reason !== 'Progressing' && !health.ready
  if (isTrouble)
    await recordEvent(
      needs.client,
      app,
      { type: 'Warning', reason, message, occurrence: `${attempt?.record ?? ''} ${message}` },
      at,
    )
  return writeAppStatus(needs, app, { ready: false, reason, message }, { replicas, applied: noted })
}

function lastOf(app: App, attempt: Attempt | undefined): NonNullable<AppStatus['lastAttempt']> {
  return app.status?.lastAttempt ?? { id: attempt?.record ?? '', phase: 'Running' }
}
