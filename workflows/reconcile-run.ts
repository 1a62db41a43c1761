/**
 * One run of a reconciling workflow: its wake-ups, waits without holding a slot, counted failures, and what the
 * Temporal UI shows of it.
 */
import {
  condition,
  continueAsNew,
  defineSignal,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import type { Policy } from '../durable/policy.ts'
import { type Carried, type RunAttributes, type Wake, type ReconcileInput, wakeSignal } from '../durable/messages.ts'
import { searchAttributes, tagsOf } from '../durable/search-attributes.ts'

const journalLength = 60
/** Temporal keeps summaries short. */
const summaryLength = 200

/** Wake-ups, waits and the log of one run. A wake-up is the signal `hint`. */
export class ReconcileRun {
  readonly policy: Policy
  readonly #kind: string
  readonly #input: ReconcileInput
  readonly #journal: string[] = []
  /** The intents that wakes since the last `clearWake()` are about; undefined for one that is about more. */
  readonly #wakes = new Set<string | undefined>()
  #intent = ''
  #looks = 0
  #phase = ''
  /** Whether the run has set search attributes of its own. */
  #isTagged = false

  constructor(kind: string, input: ReconcileInput) {
    this.policy = input.policy
    this.#kind = kind
    this.#input = input
    const { continuedFromExecutionRunId: former } = workflowInfo()
    if (former !== undefined) this.note(`goes on for run ${former}`)
    setHandler(defineSignal<[Wake]>(wakeSignal), (wake) => {
      this.#wakes.add(wake.intent)
      this.note(`hint: ${wake.reason}${wake.actor === undefined ? '' : ` by ${wake.actor}`}`)
    })
  }

  /**
   * Whether a wake-up came since the last `clearWake()`. No await may stand between this check and the end of the run.
   */
  get isWoken(): boolean {
    return [...this.#wakes].some((intent) => intent === undefined || intent !== this.#intent)
  }

  /** The look that follows covers every wake-up so far. */
  clearWake(): void {
    this.#wakes.clear()
    this.#looks += 1
  }

  /** The run works on this intent by now: a wake about it, also one that comes later, asks for nothing new. */
  worksOn(intent: string): void {
    this.#intent = intent
  }

  /**
   * Whether a run of its own should go on from here. Asked between two looks alone: the next run begins with a look at
   * the record, which covers every wake-up that this one got. False in the first look, so that every run does
   * something, and in runs of former releases, whose policy has no such limit and whose histories went on here.
   */
  get isLong(): boolean {
    const { continueAsNewSuggested, historyLength } = workflowInfo()
    const { historyEvents } = this.policy
    return this.#looks > 0 && historyEvents > 0 && (continueAsNewSuggested || historyLength >= historyEvents)
  }

  /**
   * Ends this run in favour of one with an empty history; search attributes stay. The server ends no run that has a
   * signal which no task has seen: that task is done again with the signal, so no wake-up is lost.
   */
  continueAsNew(carried: Carried = {}): Promise<never> {
    this.note('continues as new')
    const { attributes, ...input } = this.#input
    return continueAsNew<(input: ReconcileInput) => Promise<void>>({
      ...input,
      ...(this.#isTagged || attributes === undefined ? {} : { attributes }),
      carried,
    })
  }

  /** Rests until a wake-up, at most `milliseconds`. True when woken. */
  async rest(milliseconds: number, why: string): Promise<boolean> {
    this.note(why.startsWith('waiting') ? why : `waiting: ${why}`)
    return condition(() => this.isWoken, Math.max(1, milliseconds), { summary: why.slice(0, summaryLength) })
  }

  /** A line of the run's log, shown as its current details. */
  note(line: string): void {
    const entry = `- ${new Date(Date.now()).toISOString()} ${line}`
    if (this.#journal.at(-1)?.slice(27) === entry.slice(27)) return
    this.#journal.push(entry)
    if (this.#journal.length > journalLength) this.#journal.splice(1, 1)
    setCurrentDetails(`**${this.#kind} ${this.#input.name}**: ${this.#phase}\n\n${this.#journal.join('\n')}`)
  }

  /** Sets what operators filter by; called when an action begins. */
  begin(attributes: RunAttributes): void {
    const { operation, attempt } = attributes
    this.#phase = operation
    this.#tag(attributes)
    this.note(`action: ${operation}${attempt === '' ? '' : ` (attempt ${attempt})`}`)
  }

  /** Costs an event and a write for lists, so only where the run was not started with the same. */
  #tag(attributes: RunAttributes): void {
    if (!this.#input.searchable || (!this.#isTagged && isSame(attributes, this.#input.attributes))) return
    this.#isTagged = true
    upsertSearchAttributes([
      { key: searchAttributes.kind, value: this.#kind },
      { key: searchAttributes.resource, value: this.#input.name },
      ...tagsOf(attributes),
      { key: searchAttributes.phase, value: 'Running' },
    ])
  }

  /** The end of the run, for lists and for its log. A run that set no attributes is listed by its status alone. */
  end(phase: 'Settled' | 'ProvisionFailed' | 'Removed', line: string): void {
    const isListed = phase === 'Settled' && this.#input.attributes !== undefined && !this.#isTagged
    if (this.#input.searchable && !isListed) upsertSearchAttributes([{ key: searchAttributes.phase, value: phase }])
    this.#phase = phase
    this.note(line)
  }
}

const isSame = (a: RunAttributes, b: RunAttributes | undefined): boolean =>
  b !== undefined && tagsOf(a).every(({ value }, place) => value === tagsOf(b)[place]?.value)

/**
 * Counts failure-class passes in a row: five, or three minutes of them, are enough
 * (docs/reference/limits.md#controller-retry).
 */
export class FailedPasses {
  readonly #policy: Policy
  #count: number
  #since: number

  constructor(policy: Policy, { passes, since } = { passes: 0, since: 0 }) {
    this.#policy = policy
    this.#count = passes
    this.#since = since
  }

  /** Counts one more; true when that was one too many. */
  another(now: number): boolean {
    if (this.#count === 0) this.#since = now
    this.#count += 1
    return this.#count >= this.#policy.failedPasses || now - this.#since >= this.#policy.failingMs
  }

  reset(): void {
    this.#count = 0
  }

  get carried(): { passes: number; since: number } {
    return { passes: this.#count, since: this.#since }
  }

  toString(): string {
    return `${this.#count} of ${this.#policy.failedPasses} failed passes`
  }
}
