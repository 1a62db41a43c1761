/**
 * Second half of a rollout, and the drift check afterwards: observes how the copies are, judges that by one rule, and
 * writes what the rule says. Both are one activity type, and a drift check is one without an attempt: histories of
 * former releases have it so.
 */

import { compareVersions } from '../../cluster/cache/resource-version.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { noAttempt } from '../../durable/messages.ts'
import { assess, judge, type Judgement, type Limits, type Observed, type Snapshot } from '../../kinds/apps/judge.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/place.ts'
import { planNow, planOf } from '../../kinds/apps/next-action.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { choiceKey, nodeChoiceOf } from '../../kinds/placement/node-choice.ts'
import { hostRules, madeFor } from '../context/cached-service.ts'
import { onKnownRecord } from '../context/fresh-record.ts'
import type { ActivityNeeds, CachedDeployment } from '../context/needs.ts'
import { notifyEnded } from '../webhooks/notify.ts'
import { afterReady, endFailed, endReady, writeHealth } from './end-attempt.ts'
import { dropRoutes } from './host-free.ts'
import type { LookInput, Seen } from './messages.ts'
import { reconcileSchedules } from './schedules.ts'
import { isAddOnFor, letKeptSleep, sleepPartsOf } from './sleep.ts'

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
    let known: Observed | undefined
    return onKnownRecord<App, Seen>(
      needs.apps,
      name,
      uid,
      async (app, isLive) => {
        if (!isLive && input.attempt === noAttempt) return undefined
        // What was observed by the cached record holds where that was the live one.
        if (known?.view.app !== app) {
          const asked = askedOf(app, input.intent)
          if ('outcome' in asked) return isLive ? asked : undefined
          if (!isLive && !asked.view.attemptRuns) return undefined
          known = await observe(needs, asked, input)
        }
        return isLive || succeeds(known, input) ? lookAt(needs, known, input) : undefined
      },
      (other) => ({ outcome: 'changed', plan: planNow(name, other) }),
    )
  }

/** What a service is looked at for. */
type Asked = Pick<Observed, 'view' | 'spec' | 'isResting'>

/** What the record asks for where that is what the run works on; else the answer of the look. */
function askedOf(app: App, intent: string): Asked | Seen {
  const view = viewOf(app)
  const plan = planOf(view)
  const { effectiveSpec: spec, unreadable } = view
  if (spec === undefined || plan.story === 'remove' || view.intent !== intent) return { outcome: 'changed', plan }
  // Said when it was prepared: nothing is judged by a spec that is not known.
  if (unreadable !== undefined) return { outcome: 'ended', failure: '', plan }
  return { view, spec, isResting: plan.story === 'rest' }
}

/**
 * A cached record decides one thing only, that the attempt succeeded: the status of a success is written on the version
 * of the record that was read. Everything else is decided by the live record.
 */
const succeeds = ({ lost, health, view, leaving }: Observed, { attempt }: LookInput): boolean =>
  lost.length === 0 && health.ready && view.attempt?.record === attempt && leaving.length === 0

async function observe(needs: ActivityNeeds, asked: Asked, input: LookInput): Promise<Observed> {
  const { view, spec } = asked
  const namespace = targetNamespace(spec)
  return { ...asked, ...assess(view, spec, namespace, await snapshotOf(needs, asked, namespace, input)) }
}

/** The Deployment no older than the pass before left it, or live without one; pods and all else from the cache. */
async function snapshotOf(
  needs: ActivityNeeds,
  { view: { app }, spec, isResting }: Asked,
  namespace: string,
  { deployment, applied = app.status?.applied }: LookInput,
): Promise<Snapshot> {
  const { client, children, projects } = needs
  const { name, uid = '' } = app.metadata
  return {
    deployment: await readDeployment(needs, name, namespace, deployment),
    pods: children.pods.by('owner', uid),
    hosts: hostRules(needs),
    ...madeFor(children, app.metadata, namespace),
    applied,
    addOn: await isAddOnFor(client, spec),
    ...(isResting
      ? {
          sleep: await sleepPartsOf(needs, app, namespace),
          // Of the project that the copies are in, another one than the record's while a move is saved, not deployed.
          nodes: choiceKey(nodeChoiceOf(await projects.read(spec.project))),
        }
      : {}),
  }
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

/** Judges, writes what the rule says, and does what follows from that. */
async function lookAt(needs: ActivityNeeds, seen: Observed, input: LookInput): Promise<Seen> {
  const { attempt, deadlinePassed, applied } = input
  const isDriftCheck = attempt === noAttempt
  const awaited = isDriftCheck ? input.ended : attempt
  const limits: Limits = { crashRestarts: needs.crashRestarts, deadlinePassed, isDriftCheck, awaited }
  const judgement = judge(seen, limits)
  const written = await write(needs, seen, judgement, applied)
  const current = isDriftCheck ? await reconcileResting(needs, seen, written) : written
  // An end that an earlier pass wrote may be unsent: the worker died in between.
  const wasOver = seen.view.app.status?.lastAttempt?.phase !== 'Running'
  await Promise.all([
    judgement.outcome === 'ended' && awaited !== undefined ? notifyEnded(needs, written, wasOver) : undefined,
    judgement.write === 'success' ? afterReady(needs, seen, current) : undefined,
  ])
  return answer(seen, judgement, current)
}

/** What a pass before may have left of a service that rests: its schedules, and a copy that it keeps. */
async function reconcileResting(
  needs: ActivityNeeds,
  { view, spec, isResting, sleep }: Observed,
  app: App,
): Promise<App> {
  if (!isResting) return app
  const reconciled = await reconcileSchedules(needs, app)
  if (sleep.active) await letKeptSleep(needs, view.app, spec)
  return reconciled
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
