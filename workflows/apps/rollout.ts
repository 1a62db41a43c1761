/**
 * Applies the effective spec to the cluster and waits until its copies are ready: a deploy, a rollback, or a changed
 * live setting. Its two loops are its own, since `reconcile` could run them only with more reads and more commands,
 * which recorded histories do not have; the comment of `reconcile` in workflows/reconcile.ts has the reasons.
 */
import { patched } from '@temporalio/workflow'
import type { LookInput, PreparedInTask } from '../../activities/apps/messages.ts'
import type { Carried } from '../../durable/messages.ts'
import { type Policy, standardPolicy } from '../../durable/policy.ts'
import type { ReadyReason } from '../../kinds/meta/condition-reasons.ts'
import type { Plan } from '../../kinds/apps/deploy/plan.ts'
import type { AppActivities } from '../calls.ts'
import { FailedPasses, type ReconcileRun } from '../reconcile-run.ts'

/** Whether the look in the same workflow task waits for the copies; runs of former releases rest at once. */
export const waitsIn = ({ copiesMs }: Policy): { waits?: boolean } => (copiesMs > 0 ? { waits: true } : {})

export interface RolloutEnd {
  /** The plan of the record as last read. */
  plan: Plan
  /** Why the rollout failed; '' if it did not. */
  failure: string
  /** Whether a step of this run reached that end; else the record was read with it. */
  isSeen: boolean
}

/**
 * Ends when the copies are ready, when the attempt is over, or when the record asks for something else (a newer
 * attempt, a deletion). A live setting that changes meanwhile is applied without disturbing the attempt. `carried`: the
 * state of the run that this one continues, if that was in this rollout. `firstPass`: the result of the first pass, if
 * it was made together with reading the record.
 */
export async function rollOut(
  run: ReconcileRun,
  apps: AppActivities,
  first: Plan,
  carried: Carried = {},
  firstPass?: PreparedInTask,
): Promise<RolloutEnd> {
  // The policy in a run of a former release lacks the newer duration.
  const { missingAgainMs } = { ...standardPolicy, ...run.policy }
  const failed = new FailedPasses(run.policy, carried.failed)
  const since = carried.since ?? Date.now()
  const goesOn = (): Carried => ({ begun: first.attempt, since, failed: failed.carried })
  let plan = first
  let missing = 0
  while (plan.attempt === first.attempt && (plan.story === 'deploy' || plan.story === 'reconcile')) {
    if (firstPass === undefined) run.clearWake()
    const story = plan.story
    const { name, uid, attempt } = plan
    const applied = await apps.prepare({ name, uid, attempt, story, ...waitsIn(run.policy) }, firstPass)
    firstPass = undefined
    if (applied.outcome === 'changed') return { plan: applied.plan, failure: '', isSeen: false }
    if (applied.outcome === 'ended') return { plan: applied.plan, failure: applied.failure, isSeen: true }
    plan = { ...applied.plan, story }
    run.worksOn(plan.intent)
    // Counted from the time a worker started the attempt: the wait for a worker does not count.
    const startedAt = applied.ranMs === undefined ? plan.startedAt : Date.now() - applied.ranMs
    const deadline = (story === 'deploy' && plan.startedAt > 0 ? startedAt : since) + run.policy.attemptMs
    if (applied.outcome === 'applied') {
      run.note(`applied: release ${plan.attempt}`)
      const { unmoved, deployment, applied: digests } = applied
      const by = {
        ...(deployment === undefined ? {} : { deployment }),
        ...(digests === undefined ? {} : { applied: digests }),
      }
      const end = await awaitReady(run, apps, plan, deadline, { lookNow: unmoved, by, goesOn })
      if (typeof end === 'object') return end
      missing = end === 'missing' ? missing + 1 : 0
      // A cache is behind, or another writer deletes the objects: repeating at once would not help in either case.
      if (missing > 1 && patched('missing-again')) await run.rest(missingAgainMs, 'what was applied is missing again')
      if (run.isLong && patched('missing-for-long')) return run.continueAsNew(goesOn())
      plan = continued(plan, await apps.readPlan({ name: plan.name }))
      continue
    }
    if (applied.outcome === 'failing' && failed.another(Date.now()))
      return markFailed(apps, plan, 'ProvisionFailed', applied.message)
    if (Date.now() >= deadline) return markFailed(apps, plan, applied.reason, `gave up waiting: ${applied.message}`)
    if (applied.outcome === 'waiting') failed.reset()
    await run.rest(
      Math.min(run.policy.recheckMs, deadline - Date.now()),
      applied.outcome === 'failing' ? `${applied.message} (${failed.toString()})` : applied.message,
    )
    if (run.isLong) return run.continueAsNew(goesOn())
    plan = continued(plan, await apps.readPlan({ name: plan.name }))
  }
  return { plan, failure: '', isSeen: false }
}

/**
 * Looks at the copies at every wake until they are ready or the deadline has passed, the record has changed, or an
 * object has to be applied again.
 */
async function awaitReady(
  run: ReconcileRun,
  apps: AppActivities,
  plan: Plan,
  deadline: number,
  { lookNow, by, goesOn }: { lookNow: boolean; by: Pick<LookInput, 'deployment' | 'applied'>; goesOn: () => Carried },
): Promise<RolloutEnd | 'changed' | 'missing'> {
  let why = 'copies starting'
  // The first look waits within the task: many copies are ready before a resting run could be woken.
  let waitMs = !lookNow && run.policy.copiesMs > 0 ? Math.min(run.policy.copiesMs, deadline - Date.now()) : 0
  for (;;) {
    if (waitMs > 0) run.note(`waiting: ${why}`)
    else if (!lookNow) await run.rest(Math.min(run.policy.recheckMs, deadline - Date.now()), why)
    lookNow = false
    run.clearWake()
    const seen = await apps.lookAtRollout({
      name: plan.name,
      uid: plan.uid,
      attempt: plan.attempt,
      intent: plan.intent,
      deadlinePassed: Date.now() >= deadline,
      ...by,
      ...(waitMs > 0 ? { waitMs } : {}),
    })
    waitMs = 0
    if (seen.outcome === 'ended') {
      if (seen.message !== undefined) run.note(seen.message)
      return { plan: seen.plan, failure: seen.failure, isSeen: true }
    }
    if (seen.outcome !== 'waiting') return seen.outcome
    if (seen.message !== '') why = seen.message
    if (run.isLong) return run.continueAsNew(goesOn())
  }
}

/**
 * Objects that are missing, or copies that have to run on other nodes, are applied again though the record rests: the
 * run goes on until that is done. An attempt that ended meanwhile stays ended.
 */
function continued(planned: Plan, read: Plan): Plan {
  return read.story === 'rest' && read.uid === planned.uid && read.intent === planned.intent
    ? { ...read, story: 'reconcile' }
    : read
}

async function markFailed(
  apps: AppActivities,
  plan: Plan,
  reason: ReadyReason<'app'>,
  message: string,
): Promise<RolloutEnd> {
  const next = await apps.markFailed({
    name: plan.name,
    uid: plan.uid,
    attempt: plan.attempt,
    intent: plan.intent,
    reason,
    message,
  })
  return { plan: next, failure: message, isSeen: true }
}
