/**
 * Deploys that were handed over: to Temporal and not accepted yet, or to the cluster and without a copy yet.
 * Either works them off in the order in which they came, so a deploy of one project stands behind all that another
 * project handed over before it. Few at a time keep that wait short
 * (docs/guides/how-a-request-travels.md#many-deploys-at-once).
 */

export interface HandoverLimits {
  perProject: number
  /** Deploys of all projects together; a project without any may always hand over one. */
  inAll: number
  /** Time in milliseconds after which a deploy counts no longer, since it may wait for something else. */
  forgottenMs: number
}

/** Enough to keep a worker busy until it has accepted the next ones; the time is longer than a workflow task. */
const untilAccepted: HandoverLimits = { perProject: 4, inAll: 8, forgottenMs: 10_000 }

export class Handovers {
  readonly #limits: HandoverLimits
  readonly #now: () => number
  /** Open deploys by service, in the order in which they were handed over. */
  readonly #open = new Map<string, { project: string; at: number }>()
  readonly #count = new Map<string, number>()

  /** @param now milliseconds of a clock that never goes back */
  constructor(limits: HandoverLimits = untilAccepted, now: () => number = () => performance.now()) {
    this.#limits = limits
    this.#now = now
  }

  /** How many of the project were handed over and still count. */
  of(project: string): number {
    this.#forget()
    return this.#count.get(project) ?? 0
  }

  /** Whether another deploy of the project may be handed over. */
  hasCapacity(project: string): boolean {
    const own = this.of(project)
    const { perProject, inAll } = this.#limits
    return own === 0 || (own < perProject && this.#open.size < inAll)
  }

  has(name: string): boolean {
    return this.#open.has(name)
  }

  /** The deploy of the service is handed over. */
  begin(name: string, project: string): void {
    this.end(name)
    this.#open.set(name, { project, at: this.#now() })
    this.#count.set(project, (this.#count.get(project) ?? 0) + 1)
  }

  /** The deploy was accepted or has a copy, it could not be handed over, or it is asked for no longer. */
  end(name: string): void {
    const open = this.#open.get(name)
    if (open === undefined) return
    this.#open.delete(name)
    const left = (this.#count.get(open.project) ?? 1) - 1
    if (left > 0) this.#count.set(open.project, left)
    else this.#count.delete(open.project)
  }

  #forget(): void {
    const before = this.#now() - this.#limits.forgottenMs
    for (const [name, { at }] of this.#open) {
      if (at > before) return
      this.end(name)
    }
  }
}
