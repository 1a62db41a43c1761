/**
 * The wakes that wait to be sent, one of each workflow, and which comes next: those of runs that are under way, then
 * those that open a deploy, of the project that has the fewest handed over.
 */
import type { ReconciledKind } from '../../kinds/meta/resource-types.ts'
import type { RunAttributes, Wake } from '../../durable/messages.ts'
import type { Handovers } from './handovers.ts'

/** The interval at which waiting deploys are checked: places get free also without an event. */
const turnMs = 1_000

export interface WaitingWake {
  kind: ReconciledKind
  name: string
  wake: Wake
  /** The attributes of the run, for a wake that opens a deploy. */
  attributes: RunAttributes | undefined
}

export const wakeKey = ({ kind, name }: Pick<WaitingWake, 'kind' | 'name'>): string => `${kind}/${name}`

export class WaitingWakes {
  readonly #handovers: Handovers
  readonly #byKey = new Map<string, WaitingWake>()
  /** Keys of wakes that open no deploy. */
  readonly #first = new Set<string>()
  /** Keys of wakes that open a deploy, by project. */
  readonly #opening = new Map<string, Set<string>>()
  #turn: NodeJS.Timeout | undefined

  /** @param handovers the deploys that were handed over; none of a project that has its share is taken */
  constructor(handovers: Handovers) {
    this.#handovers = handovers
  }

  get size(): number {
    return this.#byKey.size
  }

  /** Puts a wake in the place of the one that waits for the same workflow. */
  add(entry: WaitingWake): void {
    this.#put(joined(entry, this.#byKey.get(wakeKey(entry))))
  }

  /** Puts a wake back that could not be sent; one that came meanwhile is the newer one. */
  restore(entry: WaitingWake): void {
    this.#put(joined(this.#byKey.get(wakeKey(entry)) ?? entry, entry))
  }

  /** Whether a deploy of the service waits, or was handed over and is not accepted. */
  isAsked(name: string): boolean {
    return this.#handovers.has(name) || this.#openingOf(name) !== undefined
  }

  /** The deploy of the service was accepted, or is asked for no longer. False where none was asked for. */
  noteAccepted(name: string): boolean {
    if (!this.isAsked(name)) return false
    const entry = this.#openingOf(name)
    if (entry !== undefined) this.#remove(entry)
    this.#handovers.end(name)
    return true
  }

  #openingOf(name: string): WaitingWake | undefined {
    const entry = this.#byKey.get(wakeKey({ kind: 'app', name }))
    return entry?.attributes === undefined ? undefined : entry
  }

  /**
   * Takes the next wake, passing over those whose workflow is `busy`; undefined while none may be sent. One that opens
   * a deploy counts as handed over from here on.
   */
  take(busy: (key: string) => boolean = () => false): WaitingWake | undefined {
    const key = this.#nextOf(this.#first, busy) ?? this.#nextOpening(busy)
    const entry = key === undefined ? undefined : this.#byKey.get(key)
    if (entry === undefined) return undefined
    this.#remove(entry)
    if (entry.attributes !== undefined) this.#handovers.begin(entry.name, entry.attributes.project)
    return entry
  }

  /** Calls `send` a second later, once, if wakes are left. */
  later(send: () => void): void {
    if (this.size === 0 || this.#turn !== undefined) return
    this.#turn = setTimeout(() => {
      this.#turn = undefined
      send()
    }, turnMs).unref()
  }

  stop(): void {
    clearTimeout(this.#turn)
  }

  #nextOf(keys: Iterable<string>, busy: (key: string) => boolean): string | undefined {
    for (const key of keys) if (!busy(key)) return key
    return undefined
  }

  #nextOpening(busy: (key: string) => boolean): string | undefined {
    let next: { key: string; handedOver: number } | undefined
    for (const [project, keys] of this.#opening) {
      const handedOver = this.#handovers.of(project)
      if ((next !== undefined && next.handedOver <= handedOver) || !this.#handovers.hasCapacity(project)) continue
      const key = this.#nextOf(keys, busy)
      if (key !== undefined) next = { key, handedOver }
    }
    return next?.key
  }

  #put(entry: WaitingWake): void {
    const key = wakeKey(entry)
    const former = this.#byKey.get(key)
    // A wake that replaces another keeps its place.
    if (former !== undefined && former.attributes?.project !== entry.attributes?.project) this.#remove(former)
    this.#byKey.set(key, entry)
    if (entry.attributes === undefined) this.#first.add(key)
    else {
      const { project } = entry.attributes
      const keys = this.#opening.get(project) ?? new Set()
      this.#opening.set(project, keys.add(key))
    }
  }

  #remove(entry: WaitingWake): void {
    const key = wakeKey(entry)
    this.#byKey.delete(key)
    this.#first.delete(key)
    if (entry.attributes === undefined) return
    const { project } = entry.attributes
    const keys = this.#opening.get(project)
    keys?.delete(key)
    if (keys?.size === 0) this.#opening.delete(project)
  }
}

/** The newer of two wakes. It keeps its intent only if both have the same: a run may ignore a wake about its intent. */
function joined(entry: WaitingWake, former: WaitingWake | undefined): WaitingWake {
  if (former === undefined || former.wake.intent === entry.wake.intent) return entry
  const { intent: _, ...wake } = entry.wake
  return { ...entry, wake }
}
