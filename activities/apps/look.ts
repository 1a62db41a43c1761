/**
 * Second half of a rollout, and the drift check afterwards: observes the copies, judges them by one rule, and writes
 * the verdict. Both are one activity type, and a drift check is a look without an attempt, because histories of former
 * releases have it so.
 */
import { noAttempt } from '../../durable/messages.ts'
import { assess, judge, type Judgement, type Limits, type Observed } from '../../kinds/apps/judge.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { planNow, viewOf } from '../../kinds/apps/view.ts'
import { onFreshRecord, onKnownRecord } from '../../records/store/retry.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { notifyEnded } from '../webhooks/notify.ts'
import { afterReady, endFailed, endReady, writeHealth } from './end-attempt.ts'
import { dropRoutes } from './host-free.ts'
import type { LookInput, Seen } from './messages.ts'
import { snapshotOf } from './observe.ts'
import { reconcileSchedules } from './schedules.ts'
import { sleepIfKeptAwake } from './sleep.ts'

/** What was observed, and the verdict on it. */
type Judged = Observed & { judgement: Judgement }

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
    const limits = limitsOf(needs, input)
    const gone = (other: App | undefined): Seen => ({ outcome: 'changed', plan: planNow(name, other) })
    if (limits.isDriftCheck)
      return onFreshRecord(
        needs.apps,
        name,
        uid,
        async (app) => {
          const seen = await judgeRecord(needs, app, input, limits)
          return 'outcome' in seen ? seen : act(needs, seen, limits, input.applied)
        },
        gone,
      )
    let known: Judged | undefined
    return onKnownRecord(
      needs.apps,
      name,
      uid,
      async (app, isLive) => {
        if (!isLive && !viewOf(app).attemptRuns) return undefined
        // `app` is the same object if the cached record was the live one: its observation holds.
        const seen = known?.view.app === app ? known : await judgeRecord(needs, app, input, limits)
        if ('outcome' in seen) return isLive ? seen : undefined
        known = seen
        // A cached record decides one thing only, that the attempt succeeded: the status of a success has the version
        // of that record as its condition. The live record decides everything else.
        const { view, judgement } = seen
        const isSuccess = judgement.write === 'success' && view.attempt?.record === input.attempt
        return isLive || (isSuccess && view.leaving.length === 0) ? act(needs, seen, limits, input.applied) : undefined
      },
      gone,
    )
  }

function limitsOf({ crashRestarts }: ActivityNeeds, { attempt, ended, deadlinePassed }: LookInput): Limits {
  const isDriftCheck = attempt === noAttempt
  return { crashRestarts, deadlinePassed, isDriftCheck, awaited: isDriftCheck ? ended : attempt }
}

/**
 * Observes and judges the service by this record; returns the result of the look at once if the record asks for
 * something else than the run works on.
 */
async function judgeRecord(needs: ActivityNeeds, app: App, input: LookInput, limits: Limits): Promise<Judged | Seen> {
  const view = viewOf(app)
  const { effectiveSpec: spec, unreadable, plan } = view
  if (spec === undefined || plan.story === 'remove' || view.intent !== input.intent) return { outcome: 'changed', plan }
  // The record does not rest though its intent is the same, for example because its status was removed. An end written
  // here would belong to no attempt, and the running attempt would never end.
  if (limits.isDriftCheck && view.intent !== view.app.status?.observedIntent) return { outcome: 'changed', plan }
  // `prepare` has written the condition already; nothing can be judged by a spec that cannot be read.
  if (unreadable !== undefined) return { outcome: 'ended', failure: '', plan }
  const asked = { view, spec, isResting: plan.story === 'rest' }
  const seen = { ...asked, ...assess(view, spec, await snapshotOf(needs, asked, input)) }
  return { ...seen, judgement: judge(seen, limits) }
}

/** Writes the verdict, and does what follows from it. `applied`: what the pass before this look applied. */
async function act(
  needs: ActivityNeeds,
  seen: Judged,
  { isDriftCheck, awaited }: Limits,
  applied?: string,
): Promise<Seen> {
  const { view, health, judgement } = seen
  const written = await write(needs, seen, applied)
  const current = isDriftCheck ? await reconcileResting(needs, seen, written) : written
  // An earlier pass may have written the end and its worker died before the webhooks were sent.
  const wasOver = view.app.status?.lastAttempt?.phase !== 'Running'
  await Promise.all([
    judgement.outcome === 'ended' && awaited !== undefined ? notifyEnded(needs, written, wasOver) : undefined,
    judgement.write === 'success' ? afterReady(needs, seen, current) : undefined,
  ])
  const { plan } = viewOf(current)
  if (judgement.outcome === 'ended') return { outcome: 'ended', failure: judgement.failure, plan }
  return judgement.outcome === 'waiting'
    ? { outcome: 'waiting', message: health.message, plan }
    : { outcome: 'missing', plan }
}

/** Repairs what an earlier pass may have left wrong at a resting service: its schedules, and a copy kept awake. */
async function reconcileResting(
  needs: ActivityNeeds,
  { view, spec, isResting, sleep }: Observed,
  app: App,
): Promise<App> {
  if (!isResting) return app
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
