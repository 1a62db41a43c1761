/**
 * The end of an attempt: its history is written first and the status last, so that a crash between the two repeats the
 * end.
 */

import { readPodTail } from '../../cluster/pod-logs.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Attempt } from '../../kinds/apps/attempt.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { Health } from '../../kinds/apps/health.ts'
import { frozenImageOf, frozenImageStep, withFrozenImage } from '../../kinds/apps/frozen-image.ts'
import type { App, AppSpec, AppStatus } from '../../kinds/apps/kind.ts'
import { imageOf, targetNamespace } from '../../kinds/apps/manifests.ts'
import { leavingFor } from '../../kinds/apps/place.ts'
import { addressOf, hostOf } from '../../kinds/apps/address.ts'
import { claimsOf } from '../../kinds/apps/hosts.ts'
import { sleepOf } from '../../kinds/apps/sleep.ts'
import { recordEvent } from '../kube/event.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { pruneRecords, writeActiveRecord } from './active-record.ts'
import { writeAppStatus } from './app-status.ts'
import { childOf, removeChild } from '../kube/apply-child.ts'
import { removeObjectsIn } from './remove-objects.ts'
import { appendAttemptLog, type LogEntry, type PodTail } from './attempt-log.ts'
import { defined } from '../../contract/defined.ts'

export interface Observation {
  spec: AppSpec
  attempt: Attempt | undefined
  health: Health
  /** Whether the current attempt is still running. */
  running: boolean
}

const tailLines = 50
/** Of them all, since a line may have no end. */
const tailBytes = 256 * 1024

/** All copies are up: the attempt succeeded, or a disturbance is over. */
export async function endReady(
  needs: ActivityNeeds,
  app: App,
  { spec, attempt, health, running }: Observation,
): Promise<App> {
  const now = needs.now()
  const { intent: observedIntent } = viewOf(app)
  const leaving = leavingFor(app, spec)
  const settled: Partial<AppStatus> = {
    ...defined({ observedGeneration: app.metadata.generation }),
    observedIntent,
    acceptedIntent: observedIntent,
    replicas: health.replicas,
    targetNamespace: targetNamespace(spec),
    url: addressOf(app.metadata.name, spec, needs.placement.autoHosts),
    hosts: claimsOf({ ...app, spec }, needs.placement.autoHosts),
    image: imageOf(withFrozenImage(viewOf(app), spec)),
    ...(spec.scaleToZero.enabled
      ? { scaleToZero: sleepOf(spec, hostOf(app.metadata.name, spec, needs.placement.autoHosts), false) }
      : {}),
    ...(attempt === undefined ? {} : { release: attempt.record }),
    ...(leaving.length === 0 ? {} : { leaving: [] }),
  }
  // It runs here now, so what it left behind goes; the status that forgets about it comes last.
  for (const namespace of leaving) await removeObjectsIn(needs, namespace, app.metadata.uid ?? '')
  // Also a failed attempt whose copies came up after all.
  if (
    attempt !== undefined &&
    (app.status?.observedIntent !== observedIntent || readyOf(app.status.conditions)?.status !== 'True')
  ) {
    await Promise.all([
      writeActiveRecord(needs, app, withFrozenImage(viewOf(app), spec), {
        phase: 'Available',
        availableReplicas: health.replicas.available,
        healthCheck: 'ready',
      }),
      ...(running ? [endHistory(needs, app, attempt, 'Succeeded', health.message, [])] : []),
      removeOldReleases(needs, app, spec, attempt),
      pruneRecords(needs, app),
    ])
  }
  const ended = {
    phase: 'Succeeded' as const,
    completedAt: now.toISOString(),
    summary: health.message,
    errors: attempt?.because === undefined ? [] : [attempt.because],
  }
  return writeAppStatus(
    needs,
    app,
    { ready: true, reason: 'Ready', message: health.message },
    { ...settled, ...(running ? { lastAttempt: { ...lastOf(app, attempt), ...ended } } : {}) },
  )
}

/** The attempt is over without success; the service itself may still come up, and its state will say so then. */
export async function endFailed(
  needs: ActivityNeeds,
  app: App,
  seen: Pick<Observation, 'attempt' | 'health' | 'running' | 'spec'>,
  failure: string,
  reason: string = seen.health.reason,
): Promise<App> {
  const { attempt, health, running } = seen
  const { intent: observedIntent } = viewOf(app)
  if (running && attempt !== undefined) {
    await Promise.all([
      endHistory(needs, app, attempt, 'Failed', failure, await tailsOf(needs, seen)),
      pruneRecords(needs, app),
    ])
  }
  const ended = {
    phase: 'Failed' as const,
    completedAt: needs.now().toISOString(),
    summary: failure,
    errors: [failure],
  }
  return writeAppStatus(
    needs,
    app,
    { ready: false, reason, message: failure },
    {
      observedIntent,
      acceptedIntent: observedIntent,
      replicas: health.replicas,
      ...(running ? { lastAttempt: { ...lastOf(app, attempt), ...ended } } : {}),
    },
  )
}

function lastOf(app: App, attempt: Attempt | undefined): NonNullable<AppStatus['lastAttempt']> {
  return app.status?.lastAttempt ?? { id: attempt?.record ?? '', phase: 'Running' }
}

async function endHistory(
  needs: ActivityNeeds,
  app: App,
  attempt: Attempt,
  phase: 'Succeeded' | 'Failed',
  summary: string,
  tails: readonly PodTail[],
): Promise<void> {
  // The attempt's start identifies its end, so a repeat logs it once.
  const began = app.status?.lastAttempt?.startedAt ?? attempt.at
  const frozen = frozenImageOf(viewOf(app))
  const steps: LogEntry[] = [
    { at: attempt.at, text: `accepted: ${attempt.title} (${attempt.operation} by ${attempt.actor})` },
    { at: began, text: `applying release ${attempt.record}` },
    ...(frozen === undefined ? [] : [{ at: began, text: frozenImageStep(frozen) }]),
    { at: needs.now().toISOString(), text: `${phase}: ${summary}`, endSince: began },
  ]
  await Promise.all([
    appendAttemptLog(needs, app, attempt.record, steps, tails, frozen?.image),
    recordEvent(
      needs.client,
      app,
      {
        type: phase === 'Succeeded' ? 'Normal' : 'Warning',
        reason: phase === 'Succeeded' ? 'Deployed' : 'DeployFailed',
        message: `${attempt.record}: ${summary}`,
        occurrence: `${attempt.record} ${began}`,
      },
      needs.now(),
    ),
  ])
}

/** The last lines of the pod that explains the failure, of the run that ended when it is crash-looping. */
async function tailsOf(
  needs: ActivityNeeds,
  { spec, health }: Pick<Observation, 'spec' | 'health'>,
): Promise<PodTail[]> {
  if (health.pod === undefined) return []
  const where = {
    namespace: targetNamespace(spec),
    pod: health.pod,
    container: 'app',
    tailLines,
    limitBytes: tailBytes,
    previous: health.reason === 'CrashLoop',
  }
  try {
    const lines = await readPodTail(needs.client, where)
    return [{ pod: health.pod, lines }]
  } catch (error) {
    // A container that never started has no log; the reason stands in the steps all the same.
    needs.log.info({ pod: health.pod, error: String(error) }, 'no log lines of the failed pod')
    return []
  }
}

/**
 * Configuration and secrets of every release before, superseded and failed ones included, once nothing runs with them
 * any more. Those of an attempt accepted later stay, should this run late.
 */
async function removeOldReleases(needs: ActivityNeeds, app: App, spec: AppSpec, attempt: Attempt): Promise<void> {
  if (isFirst(needs, app, attempt)) return
  const namespace = targetNamespace(spec)
  const owner = app.metadata.uid ?? ''
  const accepted = ({ name, creationTimestamp = '' }: KubeObject['metadata']) =>
    Date.parse(needs.deployments.cache.get(name, systemNamespace)?.status?.startedAt ?? creationTimestamp)
  for (const [kind, kept] of [
    ['ConfigMap', attempt.record],
    ['Secret', attempt.release],
  ] as const) {
    const { items } = await needs.client.list<KubeObject>(childOf(kind).type, {
      namespace,
      labelSelector: `${labels.owner}=${owner}`,
      metadataOnly: true,
    })
    const old = items.filter(({ metadata }) => metadata.name !== kept && accepted(metadata) <= Date.parse(attempt.at))
    for (const { metadata } of old) await removeChild(needs.client, kind, namespace, metadata.name, owner)
  }
}

/** Nothing was ever deployed before: spares two lists for each of many new services. */
function isFirst(needs: ActivityNeeds, app: App, attempt: Attempt): boolean {
  const records = needs.deployments.cache
    .by('app', app.metadata.name)
    .filter(({ metadata }) => metadata.labels?.[labels.app] === app.metadata.name)
  return app.status?.release === undefined && records.every(({ metadata }) => metadata.name === attempt.record)
}
