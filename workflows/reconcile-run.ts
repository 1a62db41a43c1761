/**
 * One run of a reconciling workflow: its wakes, its waits, which hold no slot, its counted failures, and its log in the
 * Temporal UI.
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
import { cut } from '../kinds/meta/cut.ts'
import { searchAttributes, tagsOf } from '../durable/search-attributes.ts'

const journalLength = 60
/** Most characters of a timer's summary, which Temporal limits. */
const summaryLength = 200

/** Wakes, waits and the log of one run. A wake is the signal `hint`. */
export class ReconcileRun {
  readonly policy: Policy
  readonly #kind: string
  readonly #input: ReconcileInput
  readonly #journal: string[] = []
  /** The intents of wakes since the last `clearWake()`; undefined stands for a wake with another cause. */
  readonly #wakes = new Set<string | undefined>()
  #intent = ''
  #looks = 0
  #phase = ''
  /** Whether the run has set search attributes itself. */
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
   * Whether a wake came since the last `clearWake()`, other than for the intent that the run works on. No await may
   * stand between this check and the end of the run.
   */
  get isWoken(): boolean {
    return [...this.#wakes].some((intent) => intent === undefined || intent !== this.#intent)
  }

  /** Forgets the wakes so far: the pass that follows covers them. */
  clearWake(): void {
    this.#wakes.clear()
    this.#looks += 1
  }

  /** Sets the intent that the run works on: wakes about that intent, also later ones, do not count. */
  worksOn(intent: string): void {
    this.#intent = intent
  }

  /**
   * Whether the history is so long that the run should continue as new. Checked only between two passes: the next run
   * begins with a pass, which covers every wake of this one. False before the first pass, so that every run makes
   * progress, and in runs of former releases, whose policy has no such limit and whose histories went on here.
   */
  get isLong(): boolean {
    const { continueAsNewSuggested, historyLength } = workflowInfo()
    const { historyEvents } = this.policy
    return this.#looks > 0 && historyEvents > 0 && (continueAsNewSuggested || historyLength >= historyEvents)
  }

  /**
   * Ends this run and starts one with an empty history; search attributes stay. Temporal does not end a run with a
   * signal that no task has received: it repeats the task with the signal, so no wake is lost.
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

  /** Rests until a wake, at most `milliseconds`. True if woken. */
  async rest(milliseconds: number, why: string): Promise<boolean> {
    this.note(why.startsWith('waiting') ? why : `waiting: ${why}`)
    return condition(() => this.isWoken, Math.max(1, milliseconds), { summary: cut(why, summaryLength) })
  }

  /** Adds a line to the run's log, which the Temporal UI shows as its current details. */
  note(line: string): void {
    const entry = `- ${new Date(Date.now()).toISOString()} ${line}`
    if (this.#journal.at(-1)?.slice(27) === entry.slice(27)) return
    this.#journal.push(entry)
    if (this.#journal.length > journalLength) this.#journal.splice(1, 1)
    setCurrentDetails(`**${this.#kind} ${this.#input.name}**: ${this.#phase}\n\n${this.#journal.join('\n')}`)
  }

  /** Sets the search attributes of an action; called when the action begins. */
  begin(attributes: RunAttributes): void {
    const { operation, attempt } = attributes
    this.#phase = operation
    this.#tag(attributes)
    this.note(`action: ${operation}${attempt === '' ? '' : ` (attempt ${attempt})`}`)
  }

  /** Sets search attributes if the run was not started with the same ones, since that costs an event and a write. */
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

  /**
   * Writes the end of the run to its search attributes and its log. A run that ends reconciled and has set no
   * attributes itself sets none: lists show its status.
   */
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
 * Counts failure-class passes in a row: five, or three minutes of them, end the work
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

  /** Counts one more failure; true once there were too many. */
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
