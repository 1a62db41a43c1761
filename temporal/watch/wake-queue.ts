/**
 * Delivers the wakes of the watch: only the latest wake of each workflow, few at a time, with retries until Temporal
 * accepts it. Wakes that open deploys come after all others and in turns of the projects, no more at once than workers
 * accept soon (docs/guides/how-a-request-travels.md#many-deploys-at-once).
 */
import type { Logger } from '../../cluster/objects/log.ts'
import type { ReconciledKind } from '../../kinds/meta/resource-types.ts'
import type { RunAttributes, Wake } from '../../durable/messages.ts'
import { Handovers } from '../client/handovers.ts'
import { wakeKey, type WaitingWake, WaitingWakes } from '../client/waiting-wakes.ts'

const inFlight = 20
const firstPauseMs = 200
const longestPauseMs = 5_000

export type Deliver = (kind: ReconciledKind, name: string, wake: Wake, attributes?: RunAttributes) => Promise<void>

export class WakeQueue {
  readonly #deliver: Deliver
  readonly #log: Logger
  readonly #handovers = new Handovers()
  readonly #waiting = new WaitingWakes(this.#handovers)
  readonly #sending = new Set<string>()
  #pauseMs = 0
  #stopped = false
  #timer: NodeJS.Timeout | undefined
  /** Number of wakes delivered since the start. */
  sent = 0

  constructor(deliver: Deliver, log: Logger) {
    this.#deliver = deliver
    this.#log = log
  }

  get waiting(): number {
    return this.#waiting.size + this.#sending.size
  }

  /** `attributes`: search attributes of a run that the wake starts; given where the wake opens a deploy. */
  add(kind: ReconciledKind, name: string, wake: Wake, attributes?: RunAttributes): void {
    this.#waiting.add({ kind, name, wake, attributes })
    this.#pump()
  }

  /** The deploy of the service was accepted, or is asked for no longer: a wake that would open it is not sent. */
  noteAccepted(name: string): void {
    if (this.#waiting.noteAccepted(name)) this.#pump()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
    this.#waiting.stop()
  }

  #pump(): void {
    if (this.#stopped || this.#timer !== undefined) return
    while (this.#sending.size < inFlight) {
      const entry = this.#waiting.take((key) => this.#sending.has(key))
      if (entry === undefined) break
      const key = wakeKey(entry)
      this.#sending.add(key)
      void this.#send(key, entry)
    }
    this.#waiting.later(() => this.#pump())
  }

  async #send(key: string, entry: WaitingWake): Promise<void> {
    try {
      await this.#deliver(entry.kind, entry.name, entry.wake, entry.attributes)
      this.sent += 1
      this.#pauseMs = 0
    } catch (error) {
      this.#waiting.restore(entry)
      if (entry.attributes !== undefined) this.#handovers.end(entry.name)
      this.#pauseMs = Math.min(longestPauseMs, Math.max(firstPauseMs, this.#pauseMs * 2))
      this.#log.warn(
        { key, error: error instanceof Error ? error.message : String(error) },
        'wake not delivered; trying again',
      )
    }
    this.#sending.delete(key)
    if (this.#pauseMs === 0) this.#pump()
    else if (this.#timer === undefined && !this.#stopped) {
      this.#timer = setTimeout(() => {
        this.#timer = undefined
        this.#pump()
      }, this.#pauseMs)
    }
  }
}
