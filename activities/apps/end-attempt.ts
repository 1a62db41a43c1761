/**
 * What a look writes: how the copies are, and the end of an attempt. Of a failure the history is written first and the
 * status last, so that a crash between the two repeats it; of a success the status first.
 */

import { readPodTail } from '../../cluster/pod-logs.ts'
import type { ReadyReason } from '../../kinds/meta/condition-reasons.ts'
import { says } from '../../kinds/meta/conditions.ts'
import type { Attempt } from '../../kinds/apps/attempt.ts'
import type { Health } from '../../kinds/apps/health.ts'
import type { Observed } from '../../kinds/apps/judge.ts'
import { acceptedOf, isHistoryMissing, rollingOut, successOf } from '../../kinds/apps/attempt-history.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { runImageOf } from '../../kinds/apps/image.ts'
import type { App, AppSpec, AppStatus } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/place.ts'
import { recordEvent } from '../kube/event.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { writeAppStatus } from './app-status.ts'
import { namedSchedules, reconcileSchedules } from './schedules.ts'
import { letSleep } from './sleep.ts'
import { usedVolume } from './volume.ts'
import { pruneRecords, removeObjectsIn, removeOldReleases } from './remove-objects.ts'
import { activeRecordOf, writeActiveRecord, writeEnd } from './attempt-history.ts'
import { appendAttemptLog, type PodTail } from '../kube/attempt-log.ts'
import { defined } from '../../contract/defined.ts'

const tailLines = 50
/** Bytes of all these lines together: a single line may be of any length. */
const tailBytes = 256 * 1024

/**
 * All copies are up: the attempt succeeded, or a disturbance is over. `applied`: what the pass before it applied,
 * undefined where there was none.
 */
export async function endReady(needs: ActivityNeeds, seen: Observed, applied?: string): Promise<App> {
  const { view, spec, health, sleep, address, namespace, leaving } = seen
  const { app, attempt, attemptRuns: running, intent: observedIntent } = view
  const completedAt = needs.now().toISOString()
  const last = lastOf(app, attempt)
  const ready: Partial<AppStatus> = {
    ...defined({ observedGeneration: app.metadata.generation, applied }),
    observedIntent,
    acceptedIntent: observedIntent,
    replicas: health.replicas,
    targetNamespace: namespace,
    url: address.url,
    hosts: address.claims,
    image: runImageOf(view, spec),
    ...sleep.status,
    ...(attempt === undefined ? {} : { release: attempt.record, ...namedSchedules(app, spec, attempt.record) }),
    ...(leaving.length === 0 ? {} : { leaving: [] }),
    ...usedVolume(needs, app, spec),
  }
  // It runs here now, so what it left behind goes; the status that forgets about it comes last.
  for (const left of leaving) await removeObjectsIn(needs, left, app.metadata.uid ?? '')
  const ended = {
    phase: 'Succeeded' as const,
    completedAt,
    summary: health.message,
    errors: attempt?.because === undefined ? [] : [attempt.because],
  }
  return writeAppStatus(
    needs,
    app,
    { ready: true, reason: 'Ready', message: health.message },
    {
      ...ready,
      ...(running ? { lastAttempt: { ...last, ...ended } } : {}),
      ...(running && app.status?.failingSchedules !== undefined ? { failingSchedules: 0 } : {}),
    },
  )
}

/**
 * What follows the status of a success, which callers wait for: its history, what it replaced, and `<app>-active` as
 * the last, so that the next look does it where a worker died in between.
 */
export async function afterReady(needs: ActivityNeeds, seen: Observed, written: App): Promise<void> {
  const { view, spec, namespace, health, sleep } = seen
  const { app, attempt, intent, ready } = view
  const isNews = app.status?.observedIntent !== intent || ready?.status !== 'True'
  const ended = viewOf(written)
  if (attempt === undefined || (!isNews && !isHistoryMissing(ended, activeRecordOf(needs, app)))) return
  // A failed attempt whose copies came up after all has its end already.
  const success = successOf(ended)
  // Whether the status shows nothing that was logged since the attempt began.
  const isFirst = ready?.message === rollingOut(attempt.record)
  await Promise.all([
    success === undefined
      ? undefined
      : writeEnd(needs, app, acceptedOf(attempt), success, { frozen: view.frozenImage, isFirst }),
    removeOldReleases(needs, app, namespace, attempt),
    // As it ended: the release before is no longer the one that a failed deploy is rolled back to.
    pruneRecords(needs, ended),
    sleep.active ? letSleep(needs, app, spec) : undefined,
    reconcileSchedules(needs, written),
  ])
  await writeActiveRecord(needs, view, spec, {
    phase: 'Available',
    availableReplicas: health.replicas.available,
    healthCheck: 'ready',
  })
}

/** The attempt is over without success; the service itself may still come up, and its state will say so then. */
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
    const tails = await tailsOf(needs, spec, health)
    await Promise.all([
      writeEnd(needs, app, acceptedOf(attempt), end, { frozen: view.frozenImage, tails }),
      pruneRecords(needs, view),
      letSleep(needs, app, spec),
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
 * Writes how the copies are, once per change: status, the log of a running attempt, and an Event when something is
 * wrong. Of what rests also what the pass before applied: until the copies of that are up, it would seem to be written
 * over.
 */
export async function writeHealth(needs: ActivityNeeds, seen: Observed, applied?: string): Promise<App> {
  const { view, spec, health, isResting } = seen
  const { app, attempt, attemptRuns, ready } = view
  const { reason, message, replicas } = health
  const noted = isResting && applied !== app.status?.applied ? defined({ applied }) : {}
  if (ready?.status === 'False' && says(ready, message) && noted.applied === undefined) return app
  const at = needs.now()
  if (attemptRuns && attempt !== undefined) {
    await appendAttemptLog(needs, app, attempt.record, [{ at: at.toISOString(), text: message }])
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
  return writeAppStatus(needs, app, { ready: false, reason, message }, { replicas, ...noted })
}

function lastOf(app: App, attempt: Attempt | undefined): NonNullable<AppStatus['lastAttempt']> {
  return app.status?.lastAttempt ?? { id: attempt?.record ?? '', phase: 'Running' }
}

/** The last lines of the pod that explains the failure, of the run that ended when it is crash-looping. */
async function tailsOf(needs: ActivityNeeds, spec: AppSpec, health: Health): Promise<PodTail[]> {
  if (health.pod === undefined) return []
  const where = {
    namespace: targetNamespace(spec),
    pod: health.pod,
    container: 'app',
    tailLines,
    limitBytes: tailBytes,
  }
  // A run that ended and was not begun anew is the current one, and its node may have forgotten the run before.
  for (const previous of health.reason === 'CrashLoop' ? [true, false] : [false])
    try {
      const lines = await readPodTail(needs.client, { ...where, previous })
      if (!previous || !lines.every(isForgotten)) return [{ pod: health.pod, lines }]
    } catch (error) {
      // A container that never started has no log; the reason stands in the steps all the same.
      needs.log.info({ pod: health.pod, error: String(error) }, 'the log of the failed pod could not be read')
    }
  return []
}

/** What a kubelet answers, as if it were the log. */
const isForgotten = (line: string): boolean => line.startsWith('unable to retrieve container logs for ')
