/**
 * Second half of a rollout, and the drift check afterwards: observes how the copies are, judges that by one rule, and
 * writes what the rule says. Both are one activity type, and a drift check is one without an attempt: histories of
 * former releases have it so.
 */

import { compareVersions } from '../../cluster/cache/resource-version.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { noAttempt } from '../../durable/messages.ts'
import { appliedText, isOverwritten } from '../../kinds/apps/applied.ts'
import { hostOf } from '../../kinds/apps/address.ts'
import { copiesOf, isMisplaced, missingKinds } from '../../kinds/apps/health.ts'
import { lostHosts } from '../../kinds/apps/hosts.ts'
import { judge, type Judgement, leadsElsewhere, type Observed } from '../../kinds/apps/judge.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/manifests.ts'
import { planNow, planOf } from '../../kinds/apps/next-action.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { type ServiceView, viewOf } from '../../kinds/apps/view.ts'
import { leavingFor } from '../../kinds/apps/place.ts'
import { serviceHealth, sleepDrift, unsaidOfSleep } from '../../kinds/apps/sleep.ts'
import { nodeChoiceOf } from '../../kinds/placement/node-choice.ts'
import { onKnownRecord } from '../context/fresh-record.ts'
import { type ActivityNeeds, type CachedDeployment, cacheOf } from '../context/needs.ts'
import { notifyEnded } from '../webhooks/notify.ts'
import { afterReady, endFailed, endReady, writeHealth } from './end-attempt.ts'
import { dropRoutes, hostRules } from './host-free.ts'
import type { LookInput, Seen } from './messages.ts'
import { settleSchedules } from './schedules.ts'
import { letKeptSleep, sleepNow, sleepPartsOf } from './sleep.ts'
import { lacksVolume } from './volume.ts'

export const look =
  (needs: ActivityNeeds) =>
  async (input: LookInput): Promise<Seen> => {
    const { name, uid, waitMs } = input
    if (waitMs !== undefined && !(await needs.copiesNews.wait(name, waitMs)))
      return {
        outcome: 'waiting',
        message: '',
        plan: planNow(name, needs.apps.cache.get(name, systemNamespace)),
      }
    return onKnownRecord<App, Seen>(
      needs.apps,
      name,
      uid,
      (app, isLive) => lookAt(needs, input, app, isLive),
      (other) => ({ outcome: 'changed', plan: planNow(name, other) }),
    )
  }

/**
 * A cached record decides one thing only, that the attempt succeeded: the status of a success is written on the version
 * of the record that was read. Everything else is decided by the live record.
 */
async function lookAt(needs: ActivityNeeds, input: LookInput, app: App, isLive: boolean): Promise<Seen | undefined> {
  const view = viewOf(app)
  const plan = planOf(view)
  const { effectiveSpec: spec, intent, unreadable } = view
  const isAsked = spec !== undefined && plan.story !== 'remove' && intent === input.intent
  if (!isLive && (!isAsked || !view.attemptRuns || unreadable !== undefined)) return undefined
  if (!isAsked) return { outcome: 'changed', plan }
  // Said when it was prepared: nothing is judged by a spec that is not known.
  if (unreadable !== undefined) return { outcome: 'ended', failure: '', plan }
  const applied = input.applied ?? app.status?.applied
  const seen = await observe(needs, view, spec, {
    isResting: plan.story === 'rest',
    atLeast: input.deployment,
    applied,
  })
  if (input.attempt === noAttempt) return isLive ? checkDrift(needs, seen) : undefined
  return isLive || (succeeds(seen, input.attempt) && leavingFor(app, spec).length === 0)
    ? lookAtRollout(needs, seen, input)
    : undefined
}

const succeeds = (seen: Observed, awaited: string): boolean =>
  seen.lost.length === 0 && seen.health.ready && seen.view.attempt?.record === awaited

/** The Deployment no older than `atLeast`, or live without that; pods and all else from the cache. */
async function observe(
  needs: ActivityNeeds,
  view: ServiceView,
  spec: AppSpec,
  { isResting, atLeast, applied }: { isResting: boolean; atLeast: string | undefined; applied: string | undefined },
): Promise<Observed> {
  const { name, uid = '' } = view.app.metadata
  const namespace = targetNamespace(spec)
  const host = hostOf(name, spec, needs.placement.autoHosts)
  const deployment = await readDeployment(needs, name, namespace, atLeast)
  const copies = copiesOf(view.attempt?.record, deployment, needs.children.pods.by('owner', uid))
  const sleep = await sleepNow(needs, view.app, spec)
  const health = serviceHealth(copies, view, spec, sleep.active)
  const lost = lostHosts(view.app, spec, hostRules(needs))
  const isWrittenOver = (): boolean =>
    isOverwritten(
      applied,
      appliedText(uid, (kind) => needs.children[cacheOf[kind]].get(name, namespace)),
    )
  const lacksParts = (): boolean =>
    missingKinds(name, spec, host, (kind, its) => needs.children[cacheOf[kind]].get(its, namespace) !== undefined)
      .length > 0
  // Of the project that the copies are in, another one than the record's while a move is saved and not deployed.
  const isElsewhere = async () => isMisplaced(deployment, nodeChoiceOf(await needs.projects.read(spec.project)))
  const sleepsOtherwise = async () =>
    sleepDrift(sleep.active, await sleepPartsOf(needs, view.app, namespace)).length > 0
  // No copy starts without its claim, so that is made again also while a rollout waits for them.
  const isIncomplete =
    lost.length === 0 &&
    (isResting
      ? health.takenAway === true ||
        lacksParts() ||
        isWrittenOver() ||
        (await isElsewhere()) ||
        (await sleepsOtherwise())
      : lacksVolume(needs, view.app, spec))
  return { view, spec, isResting, health, lost, isIncomplete, sleep }
}

/** A cached Deployment that is older could show the copies of the spec before as ready. */
async function readDeployment(
  { client, children }: ActivityNeeds,
  name: string,
  namespace: string,
  atLeast: string | undefined,
): Promise<CachedDeployment | undefined> {
  const cached = children.deployments.get(name, namespace)
  const order = compareVersions(cached?.metadata.resourceVersion, atLeast)
  if (cached !== undefined && order !== undefined && order >= 0) return cached
  return client.get<CachedDeployment>({ type: coreTypes.deployment, namespace, name })
}

/** Ends the attempt when it is over, and notifies webhooks of that. */
async function lookAtRollout(needs: ActivityNeeds, seen: Observed, input: LookInput): Promise<Seen> {
  const { attempt: awaited, deadlinePassed } = input
  const judgement = judge(seen, { crashRestarts: needs.crashRestarts, deadlinePassed, awaited })
  const written = await write(needs, seen, judgement, input.applied)
  // An end that an earlier pass wrote may be unsent: the worker died in between.
  const wasOver = seen.view.app.status?.lastAttempt?.phase !== 'Running'
  await Promise.all([
    judgement.outcome === 'ended' ? notifyEnded(needs, written, wasOver) : undefined,
    judgement.write === 'success' ? afterReady(needs, seen, written) : undefined,
  ])
  return answer(seen, judgement, written)
}

/** The address and word of sleep count here alone: a rollout puts all in place, and its end writes them. */
async function checkDrift(needs: ActivityNeeds, seen: Observed): Promise<Seen> {
  const { view, spec, isResting, sleep } = seen
  const { autoHosts } = needs.placement
  const isIncomplete =
    seen.isIncomplete ||
    leadsElsewhere(seen, autoHosts) ||
    (isResting && unsaidOfSleep(view.app, spec, hostOf(view.app.metadata.name, spec, autoHosts), sleep.addOn) !== '')
  const judgement = judge({ ...seen, isIncomplete }, { crashRestarts: needs.crashRestarts, deadlinePassed: false })
  const written = await write(needs, seen, judgement)
  const settled = isResting ? await settleSchedules(needs, written) : written
  if (isResting && sleep.active) await letKeptSleep(needs, view.app, spec)
  if (judgement.write === 'success') await afterReady(needs, seen, settled)
  return answer(seen, judgement, settled)
}

/** The record as it is then. Routes go first: a host of another service is released whatever is written. */
async function write(needs: ActivityNeeds, seen: Observed, judgement: Judgement, applied?: string): Promise<App> {
  const { app } = seen.view
  if (seen.lost.length > 0) await dropRoutes(needs, app, seen.spec, seen.lost)
  switch (judgement.write) {
    case 'success':
      return endReady(needs, seen, applied)
    case 'failure':
      return endFailed(needs, seen, judgement.why)
    case 'health':
      return writeHealth(needs, seen)
    case 'nothing':
      return app
    default:
      return judgement satisfies never
  }
}

function answer({ health }: Observed, judgement: Judgement, written: App): Seen {
  const plan = planOf(viewOf(written))
  if (judgement.outcome === 'ended') return { outcome: 'ended', failure: judgement.failure, plan }
  return judgement.outcome === 'waiting'
    ? { outcome: 'waiting', message: health.message, plan }
    : { outcome: 'missing', plan }
}
