/**
 * Delivers the wakes of the watch: only the latest wake of each workflow, few at a time, with retries until Temporal
 * accepts it.
 */
import type { Logger } from '../../cluster/objects/log.ts'
import type { ReconciledKind } from '../../kinds/meta/resource-types.ts'
import type { RunAttributes, Wake } from '../../durable/messages.ts'

const inFlight = 20
const firstPauseMs = 200
const longestPauseMs = 5_000

interface Entry {
  kind: ReconciledKind
  name: string
  wake: Wake
  attributes: RunAttributes | undefined
}

export type Deliver = (kind: ReconciledKind, name: string, wake: Wake, attributes?: RunAttributes) => Promise<void>

export class WakeQueue {
  readonly #deliver: Deliver
  readonly #log: Logger
  readonly #waiting = new Map<string, Entry>()
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

  /** `attributes`: search attributes of a run that the wake starts. */
  add(kind: ReconciledKind, name: string, wake: Wake, attributes?: RunAttributes): void {
    const key = `${kind}/${name}`
    this.#waiting.set(key, joined({ kind, name, wake, attributes }, this.#waiting.get(key)))
    this.#pump()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #pump(): void {
    if (this.#stopped || this.#timer !== undefined) return
    for (const [key, entry] of this.#waiting) {
      if (this.#sending.size >= inFlight) return
      if (this.#sending.has(key)) continue
      this.#waiting.delete(key)
      this.#sending.add(key)
      void this.#send(key, entry)
    }
  }

  async #send(key: string, entry: Entry): Promise<void> {
    try {
      await this.#deliver(entry.kind, entry.name, entry.wake, entry.attributes)
      this.sent += 1
      this.#pauseMs = 0
    } catch (error) {
      this.#waiting.set(key, joined(this.#waiting.get(key) ?? entry, entry))
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

/** The newer of two wakes. It keeps its intent only if both have the same: a run may ignore a wake about its intent. */
function joined(entry: Entry, former: Entry | undefined): Entry {
  if (former === undefined || former.wake.intent === entry.wake.intent) return entry
  const { intent: _, ...wake } = entry.wake
  return { ...entry, wake }
}
