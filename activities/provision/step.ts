/** One step of provisioning: a pass over the record that may be repeated at any time, and its wait or failure. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { ClusterError, isForbidden, isInvalid } from '../../cluster/objects/errors.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import type { ProvisionedKind } from '../../kinds/meta/resource-types.ts'
import { deployAnew } from '../../kinds/provision/draft.ts'
import { quotaUsedUp } from '../../kinds/pods/environment-quota.ts'
import { type ReconciledRecord, provisionPlan } from '../../kinds/provision/plan.ts'
import { OwnershipConflict } from '../kube/apply-child.ts'
import { recordEvent } from '../kube/event.ts'
import { says } from '../kube/write-status.ts'
import {
  onAskedRecord,
  type ProvisionContext,
  result,
  type StepInput,
  type StepResult,
  writeProvisionStatus,
} from './context.ts'

/**
 * Why a step is not done: a wait, a failure that is counted, or a failure that ends the provisioning
 * (docs/reference/conventions.md#waiting-and-failing).
 */
export interface Unmet {
  /** `permanent` ends in ProvisionFailed at once. */
  outcome: 'waiting' | 'failing' | 'permanent'
  message: string
}

/** A wait: the step is repeated until the cause is gone, however long that takes. */
export const waiting = (message: string): Unmet => ({ outcome: 'waiting', message })
/** A failure: five in a row, or three minutes of them, fail the record (docs/reference/limits.md#controller-retry). */
export const failing = (message: string): Unmet => ({ outcome: 'failing', message })

/** A failure that no retry can repair: ends in ProvisionFailed at once. */
export const permanent = (message: string): Unmet => ({ outcome: 'permanent', message })

/** Reads before it writes, so that repeating it is harmless; undefined when there is nothing left to do. */
export type Pass<T> = (record: T) => Promise<Unmet | undefined>

/** Several passes as one step: each begins once the pass before it is done. */
export const inOrder =
  <T>(...passes: readonly Pass<T>[]): Pass<T> =>
  async (record) => {
    for (const pass of passes) {
      const unmet = await pass(record)
      if (unmet !== undefined) return unmet
    }
    return undefined
  }

/** The activity of one step. The wait is in the condition before the run rests. */
export function step<T extends ReconciledRecord & KubeObject>(
  context: ProvisionContext<T>,
  pass: Pass<T>,
): (input: StepInput) => Promise<StepResult> {
  return (input) =>
    onAskedRecord(context, input, async (record, plan) => {
      const unreadable = plan.story === 'provision' ? context.rules.unreadable?.(record) : undefined
      const unmet = unreadable === undefined ? await tried(pass, record) : permanent(`${unreadable}; ${deployAnew}`)
      if (unmet === undefined) return result(plan)
      const written = await writeUnmet(context, record, unmet)
      // The watch wakes only records whose status waits, so a change before that write has to be found by a second try.
      const still = written === record || unmet.outcome !== 'waiting' ? unmet : await tried(pass, written)
      if (still === undefined) return result(provisionPlan(context.rules, input.name, written))
      return unmetResult(context, written, input.name, still)
    })
}

/** Like `step`, but writes no condition: the waits of such a step are only in Temporal's UI. */
export function quietStep<T extends ReconciledRecord & KubeObject>(
  context: ProvisionContext<T>,
  pass: Pass<T>,
): (input: StepInput) => Promise<StepResult> {
  return (input) =>
    onAskedRecord(context, input, async (record, plan) => {
      const unmet = await pass(record)
      return unmet === undefined ? result(plan) : unmetResult(context, record, input.name, unmet)
    })
}

/** Runs the pass. A refusal that a retry would meet again is a failure; Temporal retries after other errors. */
async function tried<T>(pass: Pass<T>, record: T): Promise<Unmet | undefined> {
  try {
    return await pass(record)
  } catch (error) {
    if (error instanceof OwnershipConflict) return failing(error.message)
    const usedUp = error instanceof ClusterError && isForbidden(error) ? quotaUsedUp(error.message) : undefined
    if (usedUp !== undefined) return waiting(usedUp)
    if (error instanceof ClusterError && (isInvalid(error) || isForbidden(error)))
      return failing(`the cluster refuses it: ${error.message}`)
    throw error
  }
}

/** Writes a wait once per change of its message; writes a failure each time, since it is counted. */
async function writeUnmet<T extends ReconciledRecord & KubeObject>(
  context: ProvisionContext<T>,
  record: T,
  { outcome, message }: Unmet,
): Promise<T> {
  const said = readyOf<ProvisionedKind>(record.status?.conditions)
  const reason = 'ReconcileError'
  const news = !says(said, message) || said?.reason !== reason
  const token = record.metadata.annotations?.[annotations.retry] ?? ''
  const before = record.status?.provision
  const goesOn = before?.token === token && (before.failures ?? 0) > 0
  const at = context.now()
  if (outcome !== 'failing' && !news && !goesOn) return record
  if (news) {
    await recordEvent(
      context.client,
      record,
      { type: 'Warning', reason, message, occurrence: `${token} ${record.status?.acceptedIntent ?? ''} ${message}` },
      at,
    )
  }
  const failures = outcome === 'failing' ? (goesOn ? (before.failures ?? 0) : 0) + 1 : 0
  const firstFailureAt = goesOn ? before.firstFailureAt : at.toISOString()
  return writeProvisionStatus(
    context,
    record,
    { ready: false, reason, message },
    {
      provision: outcome === 'failing' ? { token, failures, firstFailureAt } : { token },
    },
  )
}

function unmetResult<T extends ReconciledRecord & KubeObject>(
  context: ProvisionContext<T>,
  record: T,
  name: string,
  { outcome, message }: Unmet,
): StepResult {
  const { failures = 0, firstFailureAt } = record.status?.provision ?? {}
  const failingSince = firstFailureAt === undefined ? 0 : Date.parse(firstFailureAt)
  const failingForMs = firstFailureAt === undefined ? 0 : Math.max(0, context.now().getTime() - failingSince)
  return { outcome, message, failures, failingSince, failingForMs, plan: provisionPlan(context.rules, name, record) }
}
