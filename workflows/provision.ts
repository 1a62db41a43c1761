/** Reconciles records of all provisioned kinds: a run accepts the intent of the record and does its steps in order. */
import type { StepInput, StepResult } from '../activities/provision/context.ts'
import type { ReconcileInput } from '../durable/messages.ts'
import type { ProvisionedKind } from '../kinds/meta/resource-types.ts'
import type { ProvisionPlan } from '../kinds/provision/plan.ts'
import { type Acted, reconcile } from './reconcile.ts'
import { ReconcileRun } from './reconcile-run.ts'

/** One activity of a pass, named for the Temporal UI; each pass begins with the first step. */
export type Step = (input: StepInput) => Promise<StepResult>

/** The activities of one kind. */
export interface ProvisionWork {
  readPlan: (input: { name: string }) => Promise<ProvisionPlan>
  markAccepted: Step
  /** The steps in their order: later ones need the objects of earlier ones. */
  steps: (variant: string) => readonly Step[]
  markReady: Step
  markFailed: (input: StepInput & { message: string }) => Promise<ProvisionPlan>
  writeDraftStatus: (input: StepInput) => Promise<ProvisionPlan>
  /** The steps of a removal in their order. */
  removals: (variant: string) => readonly Step[]
  removeFinalizer: (input: StepInput) => Promise<ProvisionPlan>
}

/** A wake at rest repeats the steps, so that missing objects are created again; not for a failed record. */
export async function provisioned(kind: ProvisionedKind, input: ReconcileInput, work: ProvisionWork): Promise<void> {
  const run = new ReconcileRun(kind, input)
  let { begun = '' } = input.carried ?? {}
  const act = async (plan: ProvisionPlan): Promise<Acted<ProvisionPlan>> => {
    if (plan.story === 'rest' && !plan.mends) return { plan: await work.readPlan({ name: input.name }) }
    const begins = plan.story !== 'rest' && begun !== plan.intent
    if (begins) run.begin({ ...plan, attempt: '' })
    if (begins) begun = plan.intent
    const acted = await actOn(plan, begins)
    return begins ? { failure: '', ...acted } : acted
  }
  const actOn = async (plan: ProvisionPlan, begins: boolean): Promise<Acted<ProvisionPlan>> => {
    if (plan.story === 'draft') return { plan: await work.writeDraftStatus(plan) }
    const asked = { name: plan.name, uid: plan.uid, intent: plan.intent }
    const passed = await pass(work, asked, plan, begins)
    if (passed.outcome === 'done' && passed.message !== '') run.note(passed.message)
    if (passed.outcome === 'done' || passed.outcome === 'changed')
      return {
        plan:
          passed.plan.story === 'remove' && passed.outcome === 'done' ? await work.removeFinalizer(asked) : passed.plan,
      }
    if (plan.story !== 'remove' && isOver(passed, input))
      return { plan: await work.markFailed({ ...asked, message: passed.message }), failure: passed.message }
    await run.rest(input.policy.recheckMs, whyOf(passed, input))
    const read = await work.readPlan({ name: input.name })
    return { plan: read, again: read.mends }
  }
  const plan = await work.readPlan({ name: input.name })
  await reconcile<ProvisionPlan>(
    run,
    { plan, failure: input.carried?.failure },
    {
      isAtRest: ({ story }) => story === 'rest',
      looksFirst: ({ mends }) => mends,
      act,
      carried: () => ({ begun }),
      end: ({ uid }) => (begun !== '' && uid === '' ? 'Removed' : 'Settled'),
    },
  )
}

async function pass(work: ProvisionWork, asked: StepInput, plan: ProvisionPlan, begins: boolean): Promise<StepResult> {
  const removes = plan.story === 'remove'
  const steps = (removes ? work.removals : work.steps)(plan.variant)
  let last: StepResult = { outcome: 'done', message: '', failures: 0, failingSince: 0, plan }
  for (const step of [...(begins ? [work.markAccepted] : []), ...steps, ...(removes ? [] : [work.markReady])]) {
    last = await step(asked)
    if (last.outcome !== 'done') break
  }
  return last
}

/** Whether the pass failed for good, or too often in a row (docs/reference/limits.md#controller-retry). */
function isOver({ outcome, failures, failingSince, failingForMs }: StepResult, { policy }: ReconcileInput): boolean {
  if (outcome !== 'failing') return outcome === 'permanent'
  return failures >= policy.failedPasses || (failingForMs ?? Date.now() - failingSince) >= policy.failingMs
}

function whyOf({ outcome, message, failures }: StepResult, { policy }: ReconcileInput): string {
  return outcome === 'failing' ? `${message} (${failures} of ${policy.failedPasses} failed passes)` : message
}
