/**
 * A caller of a kill run: runs random operations on its own records one after the other and waits for each accepted
 * one.
 */
import { insist } from './insist.ts'
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

  /** One operation, or a few that overlap; resolves when all of them have ended. */
  async operate(): Promise<void> {
    this.busy = true
    try {
      do await this.change()
      while (this.chance.percent(25))
      await this.untilReconciled()
    } finally {
      this.busy = false
    }
  }

  /** One operation; resolves when it is accepted. */
  protected abstract change(): Promise<void>

  /** Resolves when the last promise is kept or its breach is reported. */
  protected abstract untilReconciled(): Promise<void>

  /** Repeats one request until it is accepted. */
  protected async insist<R>(work: () => Promise<R>): Promise<R> {
    const result = await insist(work)
    this.accepted += 1
    return result
  }
}
