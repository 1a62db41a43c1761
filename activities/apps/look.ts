/**
 * Second half of a rollout, and the drift check afterwards: observes the copies, judges them by one rule, and has the
 * verdict written.
 */
import { noAttempt } from '../../durable/messages.ts'
import { assess, judge, type Judged, type Limits } from '../../kinds/apps/assess/judge.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { planNow, viewOf } from '../../kinds/apps/view.ts'
import { onFreshRecord, onKnownRecord } from '../../records/store/retry.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import type { LookInput, Seen } from './messages.ts'
import { snapshotOf } from './observe.ts'
import { writeVerdict } from './write-verdict.ts'

/**
 * The activity of both: histories of former releases have the drift check under the same type, as a look without an
 * attempt.
 */
export const lookAtService =
  (needs: ActivityNeeds) =>
  (input: LookInput): Promise<Seen> =>
    input.attempt === noAttempt ? checkDrift(needs, input) : lookAtRollout(needs, input)

/** Looks whether what was made is still there and the copies are ready. The live record alone decides. */
async function checkDrift(needs: ActivityNeeds, input: LookInput): Promise<Seen> {
  const { name, uid, ended, applied } = input
  const limits = limitsOf(needs, input, ended)
  const judged = async (app: App): Promise<Seen> => {
    const seen = await judgeRecord(needs, app, input, limits)
    return 'outcome' in seen ? seen : writeVerdict(needs, seen, limits, applied)
  }
  return onFreshRecord(needs.apps, name, uid, judged, (other) => changedTo(name, other))
}

/** Looks at the copies of a rollout that is going on, after an event of them if `waitMs` says so. */
async function lookAtRollout(needs: ActivityNeeds, input: LookInput): Promise<Seen> {
  const { name, uid, attempt, waitMs } = input
  if (waitMs !== undefined && !(await needs.copiesNews.wait(name, waitMs)))
    return { outcome: 'waiting', message: '', plan: planNow(name, needs.apps.cache.get(name, systemNamespace)) }
  const limits = limitsOf(needs, input, attempt)
  let known: Judged | undefined
  return onKnownRecord(
    needs.apps,
    name,
    uid,
    async (app, isLive) => {
      // `app` is the same object if the cached record was the live one: its observation holds.
      const seen = known?.view.app === app ? known : await judgeRecord(needs, app, input, limits, isLive)
      if ('outcome' in seen) return isLive ? seen : undefined
      known = seen
      // A cached record decides one thing only, that the attempt succeeded: the status of a success has the version
      // of that record as its condition. The live record decides everything else.
      const { view, judgement } = seen
      const isSuccess = judgement.write === 'success' && view.attempt?.record === attempt
      return isLive || (isSuccess && view.leaving.length === 0)
        ? writeVerdict(needs, seen, limits, input.applied)
        : undefined
    },
    (other) => changedTo(name, other),
  )
}

const changedTo = (name: string, other: App | undefined): Seen => ({ outcome: 'changed', plan: planNow(name, other) })

const limitsOf = (
  { crashRestarts }: ActivityNeeds,
  { attempt, deadlinePassed }: LookInput,
  awaited: string | undefined,
): Limits => ({ crashRestarts, deadlinePassed, isDriftCheck: attempt === noAttempt, awaited })

/**
 * Observes and judges the service by this record; returns the result of the look at once if the record asks for
 * something else than the run works on. A cached record whose attempt does not run decides nothing, so nothing is
 * observed by it.
 */
async function judgeRecord(
  needs: ActivityNeeds,
  app: App,
  input: LookInput,
  limits: Limits,
  isLive = true,
): Promise<Judged | Seen> {
  const view = viewOf(app)
  const { effectiveSpec: spec, unreadable, plan } = view
  if (!isLive && !view.attemptRuns) return { outcome: 'changed', plan }
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
