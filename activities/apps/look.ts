/**
 * Second half of a rollout, and the drift check afterwards: observes how the copies are, judges that by one rule, and
 * writes what the rule says. Both are one activity type, and a drift check is one without an attempt: histories of
 * former releases have it so.
 */

import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { noAttempt } from '../../durable/messages.ts'
import { hostOf } from '../../kinds/apps/address.ts'
import { copiesOf, isMisplaced, missingKinds } from '../../kinds/apps/health.ts'
import { lostHosts } from '../../kinds/apps/hosts.ts'
import { judge, type Judgement, leadsElsewhere, type Observed } from '../../kinds/apps/judge.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/manifests.ts'
import { planNow, planOf } from '../../kinds/apps/next-action.ts'
import { type ServiceView, viewOf } from '../../kinds/apps/view.ts'
import { nodeChoiceOf } from '../../kinds/placement/node-choice.ts'
import { onFreshRecord } from '../context/fresh-record.ts'
import { type ActivityNeeds, type CachedDeployment, cacheOf } from '../context/needs.ts'
import { notifyEnded } from '../webhooks/notify.ts'
import { endFailed, endReady, writeHealth } from './end-attempt.ts'
import { dropRoutes, hostRules } from './host-free.ts'
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
  const view = viewOf(app)
  const plan = planOf(view)
  const { effectiveSpec: spec, intent, unreadable } = view
  if (spec === undefined || plan.story === 'remove' || intent !== input.intent) return { outcome: 'changed', plan }
  // Said when it was prepared: nothing is judged by a spec that is not known.
  if (unreadable !== undefined) return { outcome: 'ended', failure: '', plan }
  const seen = await observe(needs, view, spec, plan.story === 'rest')
  return input.attempt === noAttempt ? checkDrift(needs, seen) : lookAtRollout(needs, seen, input)
}

/** The Deployment live; pods and all else from the cache. */
async function observe(needs: ActivityNeeds, view: ServiceView, spec: AppSpec, isResting: boolean): Promise<Observed> {
  const { name, uid = '' } = view.app.metadata
  const namespace = targetNamespace(spec)
  const live = await needs.client.get<CachedDeployment>({ type: coreTypes.deployment, namespace, name })
  const health = copiesOf(view.attempt?.record, live, needs.children.pods.by('owner', uid))
  const lost = lostHosts(view.app, spec, hostRules(needs))
  const lacksParts = (): boolean =>
    missingKinds(
      spec,
      hostOf(name, spec, needs.placement.autoHosts),
      (kind) => needs.children[cacheOf[kind]].get(name, namespace) !== undefined,
    ).length > 0
  // Of the project that the copies are in, another one than the record's while a move is saved and not deployed.
  const isElsewhere = async () => isMisplaced(live, nodeChoiceOf(await needs.projects.read(spec.project)))
  const isIncomplete = isResting && lost.length === 0 && (lacksParts() || (await isElsewhere()))
  return { view, spec, isResting, health, lost, isIncomplete }
}

/** Ends the attempt when it is over, and notifies webhooks of that. */
async function lookAtRollout(needs: ActivityNeeds, seen: Observed, input: LookInput): Promise<Seen> {
  const { attempt: awaited, deadlinePassed } = input
  const judgement = judge(seen, { crashRestarts: needs.crashRestarts, deadlinePassed, awaited })
  const written = await write(needs, seen, judgement)
  // An end that an earlier pass wrote may be unsent: the worker died in between.
  const wasOver = seen.view.app.status?.lastAttempt?.phase !== 'Running'
  if (judgement.outcome === 'ended') await notifyEnded(needs, written, wasOver)
  return answer(seen, judgement, written)
}

/** The address counts here alone: a rollout puts all in place, and its end writes the address. */
async function checkDrift(needs: ActivityNeeds, seen: Observed): Promise<Seen> {
  const isIncomplete = seen.isIncomplete || leadsElsewhere(seen, needs.placement.autoHosts)
  const judgement = judge({ ...seen, isIncomplete }, { crashRestarts: needs.crashRestarts, deadlinePassed: false })
  return answer(seen, judgement, await write(needs, seen, judgement))
}

/** The record as it is then. Routes go first: a host of another service is let go whatever is written. */
async function write(needs: ActivityNeeds, seen: Observed, judgement: Judgement): Promise<App> {
  const { app } = seen.view
  if (seen.lost.length > 0) await dropRoutes(needs, app, seen.spec, seen.lost)
  switch (judgement.write) {
    case 'success':
      return endReady(needs, seen)
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
