/** The reconcile loop of all kinds: a run acts until the record asks for nothing new. */
import { ApplicationFailure } from '@temporalio/workflow'
import type { Carried } from '../durable/messages.ts'
import type { ReconcileRun } from './reconcile-run.ts'

/** The result of one pass over the record. */
export interface Acted<Plan> {
  /** The plan of the record as last read. */
  plan: Plan
  /** Whether another pass is needed though the record asks for nothing new. */
  again?: boolean
  /** Why the action failed for good, '' if it did not; left out if the pass does not decide that. */
  failure?: string
}

export interface Reconciliation<Plan> {
  /** Whether the record asks for nothing. */
  isAtRest: (plan: Plan) => boolean
  /**
   * One pass; `woken`: whether a wake came before it. It must wait only by `run.rest`, or in activities that a wake
   * cancels.
   */
  act: (plan: Plan, woken: boolean) => Promise<Acted<Plan>>
  /** Whether the first plan needs a pass even at rest: the cause of the wake may be an object that is gone. */
  looksFirst: (plan: Plan) => boolean
  /** State beside the failure for the next run, if this one continues as new. */
  carried?: () => Carried
  isLong?: () => boolean
  /** The phase of a run that ends without a failure. */
  end?: (plan: Plan) => 'Settled' | 'Removed'
}

/**
 * Started by signal-with-start from the api and the watch, woken by the signal `hint`. All state is in the record, so
 * terminating a run is always safe. Ends when the plan is at rest and no wake came since the last pass; continues as
 * new between two passes. Throws ApplicationFailure of type ProvisionFailed if the last action failed.
 *
 * One action has loops of its own within `act`: the rollout of a service (workflows/apps/rollout.ts), which repeats its
 * pass, and after it looks at the copies. Both loops share a deadline, a count of failures and the digests of what was
 * applied, which no plan holds; and a look at copies that are starting returns no plan, so that each would need a read
 * more to go through this loop. They keep its rules: wakes are cleared before each look, and a long run continues as
 * new.
 */
export async function reconcile<Plan>(
  run: ReconcileRun,
  first: {
    plan: Plan
    failure?: string | undefined
    /** Whether the action was begun together with reading the plan: wakes since that read then count. */
    isBegun?: boolean
  },
  {
    isAtRest,
    act,
    looksFirst,
    carried = () => ({}),
    isLong = () => run.isLong,
    end = () => 'Settled',
  }: Reconciliation<Plan>,
): Promise<void> {
  let { plan, failure = '', isBegun = false } = first
  let again = looksFirst(plan)
  while (!isAtRest(plan) || again || run.isWoken) {
    if (isLong()) return run.continueAsNew({ ...carried(), failure })
    const woken = run.isWoken
    if (!isBegun) run.clearWake()
    isBegun = false
    const acted = await act(plan, woken)
    plan = acted.plan
    again = acted.again ?? false
    failure = acted.failure ?? failure
  }
  // No await between the check above and the end, so no wake is lost.
  if (failure !== '') {
    run.end('ProvisionFailed', failure)
    throw ApplicationFailure.create({ type: 'ProvisionFailed', message: failure, nonRetryable: true })
  }
  run.end(end(plan), 'nothing left to do')
}
