/** The story of everything that is provisioned: a run takes the record's wish up, does its steps in order, and ends when there is nothing left to do. */

import { ApplicationFailure } from '@temporalio/workflow'
import type { StepInput, StepResult } from '../activities/provision-room.ts'
import type { SettleInput } from '../durable/messages.ts'
import type { ProvisionPlan } from '../kinds/provision-plan.ts'
import { Episode } from './episode.ts'

/** One named activity of a story; repeated from the first one on with each pass. */
export type Step = (input: StepInput) => Promise<StepResult>

/** The activities of one kind. */
export interface ProvisionWork {
  readPlan: (input: { name: string }) => Promise<ProvisionPlan>
  takeUp: Step
  /** In order: a later one builds on what the earlier made. */
  steps: (variant: string) => readonly Step[]
  finish: Step
  giveUp: (input: StepInput & { message: string }) => Promise<ProvisionPlan>
  tellDraft: (input: StepInput) => Promise<ProvisionPlan>
  /** Takes down what was made, in order. */
  removals: (variant: string) => readonly Step[]
  letGo: (input: StepInput) => Promise<ProvisionPlan>
}

/**
 * Opened by signal-with-start from the api and the watch, woken by the signal `hint`. Keeps nothing that the record does not hold,
 * so terminating it is always safe. A hint at rest runs the steps once more, so that what went away is made again; what was given
 * up rests. Fails with type ProvisionFailed when the last story did.
 */
export async function provisioned(kind: string, input: SettleInput, work: ProvisionWork): Promise<void> {
  const episode = new Episode(kind, input)
  let plan = await work.readPlan({ name: input.name })
  let { begun = '', failure = '' } = input.carried ?? {}
  let looks = plan.mends
  while (plan.story !== 'rest' || looks || episode.hinted) {
    if (episode.isLong) return episode.handOver({ begun, failure })
    // no await between this line and the last look at `hinted`, so no hint is lost
    episode.heard()
    looks = false
    if (plan.story === 'rest' && !plan.mends) {
      plan = await work.readPlan({ name: input.name })
      continue
    }
    const begins = plan.story !== 'rest' && begun !== plan.intent
    if (begins) {
      episode.begin({ ...plan, attempt: '' })
      begun = plan.intent
      failure = ''
    }
    if (plan.story === 'draft') {
      plan = await work.tellDraft(plan)
      continue
    }
    const asked = { name: plan.name, uid: plan.uid, intent: plan.intent }
    const passed = await pass(work, asked, plan, begins)
    if (passed.outcome === 'done' || passed.outcome === 'changed') {
      plan = passed.plan.story === 'remove' && passed.outcome === 'done' ? await work.letGo(asked) : passed.plan
      continue
    }
    if (plan.story !== 'remove' && isOver(passed, input)) {
      failure = passed.message
      plan = await work.giveUp({ ...asked, message: passed.message })
      continue
    }
    await episode.rest(input.policy.recheckMs, whyOf(passed, input))
    plan = await work.readPlan({ name: input.name })
    looks = plan.mends
  }
  if (failure !== '') {
    episode.end('ProvisionFailed', failure)
    throw ApplicationFailure.create({ type: 'ProvisionFailed', message: failure, nonRetryable: true })
  }
  episode.end(begun !== '' && plan.uid === '' ? 'Removed' : 'Settled', 'nothing left to do')
}

async function pass(work: ProvisionWork, asked: StepInput, plan: ProvisionPlan, begins: boolean): Promise<StepResult> {
  const removes = plan.story === 'remove'
  const steps = (removes ? work.removals : work.steps)(plan.variant)
  let last: StepResult = { outcome: 'done', message: '', failures: 0, failingSince: 0, plan }
  for (const step of [...(begins ? [work.takeUp] : []), ...steps, ...(removes ? [] : [work.finish])]) {
    last = await step(asked)
    if (last.outcome !== 'done') break
  }
  return last
}

/** Failed for good, or too often in a row (spec, Limits: controller retry). */
function isOver({ outcome, failures, failingSince, failingForMs }: StepResult, { policy }: SettleInput): boolean {
  if (outcome !== 'failing') return outcome === 'permanent'
  return failures >= policy.failedPasses || (failingForMs ?? Date.now() - failingSince) >= policy.failingMs
}

function whyOf({ outcome, message, failures }: StepResult, { policy }: SettleInput): string {
  return outcome === 'failing' ? `${message} (${failures} of ${policy.failedPasses} failed passes)` : message
}
