/** Reconciles one service: a run does one piece of work, normally one deploy. */
import { patched } from '@temporalio/workflow'
import type { Started } from '../../activities/apps/messages.ts'
import { attributesOf, type ReconcileInput } from '../../durable/messages.ts'
import type { Plan } from '../../kinds/apps/deploy/plan.ts'
import { activitiesFor, type AppActivities } from '../calls.ts'
import { type Acted, reconcile } from '../reconcile.ts'
import { ReconcileRun } from '../reconcile-run.ts'
import { rollOut, type RolloutEnd, waitsIn } from './rollout.ts'

/** Workflow id `app/<name>`. */
export async function service(input: ReconcileInput): Promise<void> {
  const run = new ReconcileRun('app', input)
  const { apps } = activitiesFor(input.policy)
  let { prepared, plan: first } = await readPlanAndStart(run, apps, input)
  let { failure, ...carried } = input.carried ?? {}
  // The attempt whose end no step of this run has returned: the task that ended it may have been lost with its worker.
  let unseen = input.attributes?.attempt
  /** The removal that waits for objects to be gone, and goes on with the next pass. */
  let removing: Plan | undefined
  const act = async (plan: Plan): Promise<Acted<Plan>> => {
    const goesOn = removing !== undefined && plan.story === removing.story && plan.uid === removing.uid
    removing = undefined
    if (!goesOn) run.worksOn(plan.intent)
    if (!goesOn && plan.story !== 'rest') run.begin(attributesOf(plan))
    switch (plan.story) {
      case 'adopt':
        return { plan: await apps.deployExternalEdit({ name: plan.name, uid: plan.uid }) }
      case 'note':
        return { plan: await apps.recordExternalEdit({ name: plan.name, uid: plan.uid }) }
      case 'putBack':
        return { plan: await apps.autoRollback({ name: plan.name, uid: plan.uid }), failure: '' }
      case 'deploy':
      case 'reconcile': {
        const former = carried.begun === plan.attempt ? carried : {}
        const firstPass = prepared
        carried = {}
        prepared = undefined
        unseen = undefined
        const end = await rollOut(run, apps, plan, former, firstPass)
        if (end.plan.story !== 'rest' || !isUnseen(plan.attempt, end)) return end
        unseen = end.plan.attempt
        return { ...end, again: true }
      }
      case 'withdraw':
      case 'remove': {
        // Without a limit: the finalizer keeps a deleted record until nothing is left.
        const { name, uid, story } = plan
        const passed = await apps.tearDown({ name, uid, story })
        if (passed.outcome === 'done') return { plan: passed.plan, failure: '' }
        removing = plan
        await run.rest(run.policy.recheckMs, passed.message)
        return { plan: passed.plan, failure: '' }
      }
      case 'rest': {
        const ended = plan.attempt !== '' && plan.attempt === unseen ? plan.attempt : undefined
        unseen = undefined
        const seen = await apps.checkDrift(plan, ended)
        const isMissing = seen.outcome === 'missing' && seen.plan.story === 'rest'
        return {
          plan: isMissing ? { ...seen.plan, story: 'reconcile' } : seen.plan,
          ...(ended !== undefined && seen.outcome === 'ended' ? { failure: seen.failure } : {}),
        }
      }
      default:
        return plan.story satisfies never
    }
  }
  await reconcile<Plan>(
    run,
    { plan: first, failure, isBegun: isLocal(input) && !isRemoval(first) },
    { isAtRest: ({ story }) => story === 'rest', looksFirst: () => true, act },
  )
}

/**
 * Whether the record rests though no step of this run has ended the attempt: a pass in a task that was lost with its
 * worker has, and may not have written the history and the Schedules, which the next pass then does.
 */
function isUnseen(attempt: string, { plan, isSeen }: RolloutEnd): boolean {
  if (plan.attempt !== attempt) return patched('unseen-end')
  return !isSeen && patched('unseen-end-of-same')
}

/** A removal is not begun with reading the plan. */
const isRemoval = ({ story }: Plan): boolean => story === 'withdraw' || story === 'remove'

/** Runs of former releases read the plan and prepare in two activities, and have to go on so by their histories. */
const isLocal = ({ policy }: ReconcileInput): boolean => policy.localMs > 0

/** The plan of the record; if that is a rollout, its first half is done on the same read of the record. */
async function readPlanAndStart(run: ReconcileRun, apps: AppActivities, input: ReconcileInput): Promise<Started> {
  if (!isLocal(input)) return { plan: await apps.readPlan({ name: input.name }) }
  run.clearWake()
  return apps.start({ name: input.name, ...waitsIn(input.policy) })
}
