/**
 * A caller of a kill run: one operation after the other on what is its own, chosen by chance, and each accepted one
 * awaited.
 */
import { insist } from './patience.ts'
import type { Chance } from './seeded.ts'

export abstract class Caller {
  protected chance: Chance
  busy = false
  /** Accepted requests. */
  accepted = 0

  constructor(chance: Chance) {
    this.chance = chance
  }

  begin(chance: Chance): void {
    this.chance = chance
  }

  /** One operation, or a few that overtake each other; resolves when all of it has ended. */
  async operate(): Promise<void> {
    this.busy = true
    try {
      do await this.change()
      while (this.chance.percent(25))
      await this.settle()
    } finally {
      this.busy = false
    }
  }

  /** One operation; resolves when it is accepted. */
  protected abstract change(): Promise<void>

  /** Resolves when what was promised last is there, or the breach is told. */
  protected abstract settle(): Promise<void>

  /** One request, again and again until it is accepted. */
  protected async insist<R>(work: () => Promise<R>): Promise<R> {
    const result = await insist(work)
    this.accepted += 1
    return result
  }
}
