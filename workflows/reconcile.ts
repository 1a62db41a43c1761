/** The one loop of everything that is reconciled: a run acts until the record asks for nothing new. */
import { ApplicationFailure } from '@temporalio/workflow'
import type { Carried } from '../durable/messages.ts'
import type { ReconcileRun } from './reconcile-run.ts'

/** What one pass over the record came to. */
export interface Acted<Plan> {
  /** The record as it was seen last. */
  plan: Plan
  /** Whether it is to be acted on once more though nothing new is asked for. */
  again?: boolean
  /** Why the action failed for good, '' when it did not; left out where the pass says nothing about that. */
  failure?: string
}

export interface Reconciliation<Plan> {
  /** Whether the record asks for nothing. */
  isAtRest: (plan: Plan) => boolean
  /**
   * One pass; `woken`: whether a wake-up came before it. Never waits but by `run.rest`, or in activities that a wake-up
   * cuts short.
   */
  act: (plan: Plan, woken: boolean) => Promise<Acted<Plan>>
  /** Whether the first plan is acted on even at rest: a wake-up may mean that something that was made went away. */
  looksFirst: (plan: Plan) => boolean
  /** What the next run has to know beside the failure, when this one becomes too long. */
  carried?: () => Carried
  isLong?: () => boolean
  /** How the run ends when nothing failed. */
  end?: (plan: Plan) => 'Settled' | 'Removed'
}

/**
 * Opened by signal-with-start from the api and the watch, woken by the signal `hint`. Keeps nothing that the record
 * does not hold, so terminating a run is always safe. Ends when the plan is at rest and no wake-up came since the last
 * look; continues as new between two passes. Throws ApplicationFailure of type ProvisionFailed when the last action
 * failed.
 */
export async function reconcile<Plan>(
  run: ReconcileRun,
  first: {
    plan: Plan
    failure?: string | undefined
    /** Whether its action was begun with the reading of the plan: the run then counts wakes from that reading on. */
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
  // No await from the check above to the end, so no wake-up is lost.
  if (failure !== '') {
    run.end('ProvisionFailed', failure)
    throw ApplicationFailure.create({ type: 'ProvisionFailed', message: failure, nonRetryable: true })
  }
  run.end(end(plan), 'nothing left to do')
}
