/**
 * Second half of a rollout, and the drift check afterwards: reads how the copies are, writes it, and ends the attempt
 * when it is over. Both are one activity type, and a drift check is one without an attempt: histories of former
 * releases have it so.
 */

import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { noAttempt } from '../../durable/messages.ts'
import { readyOf, says } from '../../kinds/meta/conditions.ts'
import { hostOf, isMoved } from '../../kinds/apps/address.ts'
import { planNow, planOf } from '../../kinds/apps/next-action.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { copiesOf, type Health, isMisplaced, missingKinds } from '../../kinds/apps/health.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/manifests.ts'
import { type NodeChoice, nodeChoiceOf } from '../../kinds/placement/node-choice.ts'
import { onFreshRecord } from '../context/fresh-record.ts'
import { recordEvent } from '../kube/event.ts'
import { type ActivityNeeds, type CachedDeployment, cacheOf } from '../context/needs.ts'
import { notifyEnded } from '../webhooks/notify.ts'
import { writeAppStatus } from './app-status.ts'
import { appendAttemptLog } from './attempt-log.ts'
import { endFailed, endReady, type Observation } from './end-attempt.ts'
import { dropLostRoutes, hostTaken } from './host-free.ts'
import type { LookInput, Seen } from './messages.ts'

export const look =
  (needs: ActivityNeeds) =>
  (input: LookInput): Promise<Seen> =>
    onFreshRecord(
      needs.apps,
      input.name,
      input.uid,
      (app) => lookFresh(needs, input, app),
      (other) => ({ outcome: 'changed', plan: planNow(input.name, other) }),
    )

async function lookFresh(needs: ActivityNeeds, input: LookInput, app: App): Promise<Seen> {
  const { effectiveSpec: spec, intent, unreadable } = viewOf(app)
  const plan = planOf(viewOf(app))
  if (spec === undefined || plan.story === 'remove' || intent !== input.intent) return { outcome: 'changed', plan }
  // Said when it was prepared: nothing is judged by a spec that is not known.
  if (unreadable !== undefined) return { outcome: 'ended', failure: '', plan }
  const checksDrift = input.attempt === noAttempt
  const resting = plan.story === 'rest'
  const ended = async (as: App, failure: string): Promise<Seen> => {
    // An end that an earlier pass wrote may be unsent: the worker died in between.
    if (!checksDrift) await notifyEnded(needs, as, app.status?.lastAttempt?.phase !== 'Running')
    return { outcome: 'ended', failure, plan: planOf(viewOf(as)) }
  }
  const live = await needs.client.get<CachedDeployment>({
    type: coreTypes.deployment,
    namespace: targetNamespace(spec),
    name: app.metadata.name,
  })
  const seen = observe(needs, app, spec, live)
  // Its end was written, but not received: the worker died in between.
  const failure =
    resting &&
    !checksDrift &&
    app.status?.lastAttempt?.id === input.attempt &&
    app.status.lastAttempt.phase === 'Failed'
      ? (app.status.lastAttempt.summary ?? '')
      : ''
  const lost = await dropLostRoutes(needs, app, spec)
  // Only when checking drift: after a rollout all is in place, and its end writes the address. Hosts that are free by
  // now get their routes back.
  const regained = !lost && readyOf(app.status?.conditions)?.reason === hostTaken
  const leadsElsewhere = checksDrift && (regained || isMoved(app, spec, needs.placement.autoHosts))
  const changed =
    resting && (leadsElsewhere || isIncomplete(needs, app, spec) || isMisplaced(live, await nodesFor(needs, spec)))
  if (seen.health.reason === 'Missing' || lost || changed) {
    if (resting && app.status?.lastAttempt?.phase === 'Failed') return ended(app, failure) // made again only by a retry
    return {
      outcome: 'missing',
      plan: resting && seen.health.reason === 'Missing' ? planOf(viewOf(await writeHealth(needs, app, seen))) : plan,
    }
  }
  if (seen.health.ready) return ended(await endReady(needs, app, seen), '')
  if (resting) return ended(await writeHealth(needs, app, seen), failure)
  const threshold = spec.deploy.failureThreshold ?? needs.crashRestarts
  const crashed = seen.running && seen.health.reason === 'CrashLoop' && seen.health.restarts >= threshold
  if (crashed || input.deadlinePassed) {
    const why = crashed
      ? `${seen.health.message}, ${seen.health.restarts} restarts`
      : `not ready in time: ${seen.health.message}`
    return ended(await endFailed(needs, app, seen, why), seen.running ? why : '')
  }
  return { outcome: 'waiting', message: seen.health.message, plan: planOf(viewOf(await writeHealth(needs, app, seen))) }
}

/** The Deployment live, the pods from the cache. */
function observe(needs: ActivityNeeds, app: App, spec: AppSpec, live: CachedDeployment | undefined): Observation {
  const { attempt, attemptRuns: running } = viewOf(app)
  const health = copiesOf(attempt?.record, live, needs.children.pods.by('owner', app.metadata.uid ?? ''))
  return { spec, attempt, health, running }
}

/**
 * Of the project that the copies are in, which is another one than the record's while a move is saved and not deployed.
 */
async function nodesFor(needs: ActivityNeeds, spec: AppSpec): Promise<NodeChoice> {
  return nodeChoiceOf(await needs.projects.read(spec.project))
}

/** Whether something beside the Deployment is missing, by the cache. */
function isIncomplete(needs: ActivityNeeds, app: App, spec: AppSpec): boolean {
  return (
    missingKinds(
      spec,
      hostOf(app.metadata.name, spec, needs.placement.autoHosts),
      (kind) => needs.children[cacheOf[kind]].get(app.metadata.name, targetNamespace(spec)) !== undefined,
    ).length > 0
  )
}

/**
 * Writes what was seen, once per change: status, the log of a running attempt, and an Event when something is wrong.
 */
async function writeHealth(needs: ActivityNeeds, app: App, { attempt, health, running }: Observation): Promise<App> {
  const said = readyOf(app.status?.conditions)
  const replicas = health.replicas
  if (said?.status === 'False' && says(said, health.message)) return app
  const at = needs.now()
  if (running && attempt !== undefined)
    await appendAttemptLog(needs, app, attempt.record, [{ at: at.toISOString(), text: health.message }])
  if (isTrouble(health))
    await recordEvent(
      needs.client,
      app,
      {
        type: 'Warning',
        reason: health.reason,
        message: health.message,
        occurrence: `${attempt?.record ?? ''} ${health.message}`,
      },
      at,
    )
  return writeAppStatus(needs, app, { ready: false, reason: health.reason, message: health.message }, { replicas })
}

function isTrouble(health: Health): boolean {
  return health.reason !== 'Progressing' && !health.ready
}
