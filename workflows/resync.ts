/** The resync, every ten minutes: wakes records that have work and no open run, in case a watch or a run has failed. */
import {
  ActivityFailure,
  ApplicationFailure,
  continueAsNew,
  isCancellation,
  patched,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow'
import type { PageInput, PageReport } from '../activities/resync/page.ts'
import { type Policy, standardPolicy } from '../durable/policy.ts'
import { resyncActivities } from './calls.ts'

/** Parts that run at the same time: each mostly waits for other systems, and deploys need slots, too. */
const partsAtOnce = 6

/** The progress of a part. */
interface Part {
  /** The record after which its next page begins; undefined once the part has ended. */
  after: string | undefined
  looked: number
  acted: number
  failure: string
}

export interface ResyncInput {
  policy: Policy
  /** Progress of the run that continued as new, by the names of the parts. */
  carried?: Readonly<Record<string, Part>>
}

/**
 * Runs independent parts: one that fails, or does not end in its time, is reported, and all others run. No state is
 * needed later, so terminating it is always safe. Fails with type ResyncIncomplete if a part failed; the next resync
 * repeats all parts.
 */
export async function resync(input: ResyncInput): Promise<void> {
  // The policy in a Schedule of a former release lacks newer durations.
  const policy = { ...standardPolicy, ...input.policy }
  const { former, parts: first, newerParts } = resyncActivities(policy)
  if (!patched('parts')) return former()
  const parts = { ...first }
  for (const [patch, newer] of Object.entries(newerParts)) if (patched(patch)) Object.assign(parts, newer)
  const progress: Record<string, Part> = {}
  const names = Object.keys(parts)
  for (const name of names) progress[name] = input.carried?.[name] ?? { after: '', looked: 0, acted: 0, failure: '' }
  let pages = 0
  const isLong = () => {
    const { continueAsNewSuggested, historyLength } = workflowInfo()
    return pages > 0 && (continueAsNewSuggested || historyLength >= policy.historyEvents)
  }
  const left = names.values()
  const workOff = async () => {
    for (const name of left) {
      const [part, page] = [progress[name], parts[name]]
      if (part === undefined || page === undefined) continue
      while (part.after !== undefined && !isLong()) {
        await take(part, page, { after: part.after, size: policy.resyncPage })
        pages += 1
        setCurrentDetails(tableOf(progress))
      }
    }
  }
  await Promise.all(Array.from({ length: partsAtOnce }, workOff))
  if (names.some((name) => progress[name]?.after !== undefined))
    return continueAsNew<typeof resync>({ ...input, carried: progress })
  const failures = names
    .filter((name) => progress[name]?.failure !== '')
    .map((name) => `${name}: ${progress[name]?.failure}`)
  if (failures.length === 0) return undefined
  throw ApplicationFailure.create({ type: 'ResyncIncomplete', message: failures.join('; '), nonRetryable: true })
}

/** One page of a part. A page that fails ends the part, since its position is not known then. */
async function take(part: Part, page: (input: PageInput) => Promise<PageReport>, input: PageInput): Promise<void> {
  try {
    const { looked, acted, failed, failure, after } = await page(input)
    part.looked += looked
    part.acted += acted
    part.after = after === '' ? undefined : after
    if (failed > 0) part.failure ||= `${failed} of ${looked} failed, the first: ${failure}`
  } catch (error) {
    if (isCancellation(error)) throw error
    part.after = undefined
    part.failure = reasonOf(error)
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}

function tableOf(progress: Readonly<Record<string, Part>>): string {
  const lines = Object.entries(progress).map(([name, { after, looked, acted, failure }]) => {
    const where = after === undefined ? 'done' : after === '' ? '' : `at ${after}`
    return `| ${name} | ${looked} | ${acted} | ${failure === '' ? where : failure} |`
  })
  return ['| part | looked at | woken or removed | |', '|---|---|---|---|', ...lines].join('\n')
}
