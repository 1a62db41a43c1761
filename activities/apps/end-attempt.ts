/**
 * What a look writes: the health of the copies, the end of an attempt, its log, an Event of a failure, and the record
 * `<app>-active`, which names the release that runs now (docs/reference/deployments.md#deployment-record). The history
 * of a failure is written before the status, so that a pass after a crash between the two writes repeats it; the
 * history of a success is written after the status, since callers wait for that
 * (docs/reference/deployments.md#history-of-an-attempt).
 */
import { readPodTail } from '../../cluster/pod-logs.ts'
import type { ReadyReason } from '../../kinds/meta/condition-reasons.ts'
import type { Attempt } from '../../kinds/apps/attempt.ts'
import type { Health } from '../../kinds/apps/health.ts'
import type { Observed } from '../../kinds/apps/judge.ts'
import { acceptedOf, endSteps, rollingOut, successSteps } from '../../kinds/apps/attempt-history.ts'
import { digestIn } from '../../kinds/apps/image.ts'
import { type ServiceView, viewOf } from '../../kinds/apps/view.ts'
import type { App, AppSpec, AppStatus } from '../../kinds/apps/kind.ts'
import { activeRecordName, recordLabels } from '../../kinds/apps/names.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { fieldManager } from '../kube/apply-child.ts'
import { recordEvent } from '../kube/event.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { says, type StatusChange, writeAppStatus } from '../kube/write-status.ts'
import { namedSchedules, reconcileSchedules } from './schedules.ts'
import { letSleep } from './sleep.ts'
import { usedVolume } from './volume.ts'
import { pruneRecords, removeObjectsIn, removeOldReleases } from './remove-objects.ts'
import { appendAttemptLog, type PodTail } from '../kube/attempt-log.ts'

const tailLines = 50
/** Limit in bytes of all tail lines together, since a single log line may be of any length. */
const tailBytes = 256 * 1024

/**
 * Writes the status of a service whose copies are all ready: the attempt succeeded, or a disturbance is over.
 * `applied`: what the pass before this look applied, undefined if there was no such pass.
 */
export async function endReady(needs: ActivityNeeds, seen: Observed, applied?: string): Promise<App> {
  const { view, spec, health, sleep, address } = seen
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
 * Work after the status of a success, since callers wait for that status: writes the history and removes what the
 * attempt replaced. `<app>-active` is written last: while it is missing, the next look repeats all of this.
 */
export async function afterReady(needs: ActivityNeeds, seen: Observed, written: App): Promise<void> {
  const { view, spec, health, sleep, historyMissing } = seen
  const { app, attempt, attemptRuns, intent, ready, namespace } = view
  const isNews = attemptRuns || app.status?.observedIntent !== intent || ready?.status !== 'True'
  if (attempt === undefined || (!isNews && !historyMissing)) return
  const ended = viewOf(written)
  // Empty for a failed attempt whose copies became ready after all: its history has an end already.
  const steps = successSteps(ended)
  // The condition still has its first message, so nothing was logged since the attempt began.
  const isFirst = ready?.message === rollingOut(attempt.record)
  await Promise.all([
    steps.length === 0
      ? undefined
      : appendAttemptLog(needs, app, attempt.record, steps, { image: view.frozenImage?.image, isFirst }),
    removeOldReleases(needs, app, namespace, attempt),
    // With the record as written: its release is the rollback target now, and the release before may be pruned.
    pruneRecords(needs, ended),
    sleep.active ? letSleep(needs, app, spec) : undefined,
    spec.source.function === undefined ? undefined : reconcileSchedules(needs, written),
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
      appendAttemptLog(needs, app, attempt.record, endSteps(acceptedOf(attempt), end, view.frozenImage), {
        tails,
        image: view.frozenImage?.image,
      }),
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
 * Writes the health of the copies, once per change: to the status, to the log of a running attempt, and as an Event
 * when something is wrong. For a resting service also `applied`: else drift checks would take the objects of the last
 * pass for a write of another pass until its copies are ready.
 */
export async function writeHealth(needs: ActivityNeeds, seen: Observed, applied?: string): Promise<App> {
  const { view, spec, health, isResting } = seen
  const { app, attempt, attemptRuns, ready } = view
  const { reason, message, replicas } = health
  const noted = isResting && applied !== app.status?.applied ? applied : undefined
  if (ready?.status === 'False' && says(ready, message) && noted === undefined) return app
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
  return writeAppStatus(needs, app, { ready: false, reason, message }, { replicas, applied: noted })
}

interface Running {
  phase: 'RollingOut' | 'Available'
  availableReplicas: number
  healthCheck: string
}

/** Writes `<app>-active`, without the app label, so that it is no rollback target. Skipped when nothing changed. */
async function writeActiveRecord(
  needs: ActivityNeeds,
  view: ServiceView,
  spec: AppSpec,
  running: Running,
): Promise<void> {
  const { app, attempt, image } = view
  const imageDigest = digestIn(image)
  const name = activeRecordName(app.metadata.name)
  const known = needs.deployments.cache.get(name, systemNamespace)
  const startedAt = attempt?.at ?? app.metadata.creationTimestamp ?? needs.now().toISOString()
  const record = {
    apiVersion,
    kind: resourceTypes.deployment.kind,
    metadata: {
      name,
      namespace: systemNamespace,
      labels: recordLabels(spec),
      ownerReferences: [
        {
          apiVersion,
          kind: resourceTypes.app.kind,
          name: app.metadata.name,
          uid: app.metadata.uid ?? '',
          controller: true,
          blockOwnerDeletion: false,
        },
      ],
    },
    spec: {
      app: app.metadata.name,
      project: spec.project,
      environment: spec.environment,
      image,
      ...(imageDigest === '' ? {} : { imageDigest }),
      replicas: spec.replicas,
      changeTitle: attempt?.title ?? '',
      source: fieldManager,
      trigger: 'Reconciliation',
    },
    status: {
      phase: running.phase,
      startedAt,
      availableReplicas: running.availableReplicas,
      healthCheck: running.healthCheck,
      ...(running.phase === 'Available'
        ? {
            completedAt:
              known?.status?.phase === 'Available' &&
              known.status.startedAt === startedAt &&
              known.status.completedAt !== undefined
                ? known.status.completedAt
                : needs.now().toISOString(),
          }
        : {}),
    },
  }
  if (known !== undefined && canonical([known.spec, known.status]) === canonical([record.spec, record.status])) return
  const written = await needs.client.apply<Deployment>(resourceTypes.deployment, record, {
    manager: fieldManager,
    force: true,
  })
  needs.deployments.cache.put(written)
}

function lastOf(app: App, attempt: Attempt | undefined): NonNullable<AppStatus['lastAttempt']> {
  return app.status?.lastAttempt ?? { id: attempt?.record ?? '', phase: 'Running' }
}

/** The last log lines of the pod that explains the failure; of a crash-looping pod those of its previous container. */
async function tailsOf(needs: ActivityNeeds, namespace: string, health: Health): Promise<PodTail[]> {
  if (health.pod === undefined) return []
  const where = {
    namespace,
    pod: health.pod,
    container: 'app',
    tailLines,
    limitBytes: tailBytes,
  }
  // A container that ended and was not restarted yet is the current one, and the kubelet may have dropped the previous.
  for (const previous of health.reason === 'CrashLoop' ? [true, false] : [false])
    try {
      const lines = await readPodTail(needs.client, { ...where, previous })
      if (!previous || !lines.every(isForgotten)) return [{ pod: health.pod, lines }]
    } catch (error) {
      // A container that never started has no log; the steps of the attempt have the reason in any case.
      needs.log.info({ pod: health.pod, error: String(error) }, 'the log of the failed pod could not be read')
    }
  return []
}

/** Whether the line is an error text that the kubelet sends as if it were the log. */
const isForgotten = (line: string): boolean => line.startsWith('unable to retrieve container logs for ')
