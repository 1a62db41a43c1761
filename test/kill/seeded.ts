/** Repeatable randomness: the same seed gives the same choices. */

export interface Chance {
  /** A whole number, 0 <= n < below. */
  whole(below: number): number
  pick<T>(choices: readonly [T, ...T[]]): T
  /** Chooses a name by its weight. */
  weighed<Name extends string>(weights: Readonly<Record<Name, number>>): Name
  /** True in `share` of a hundred cases. */
  percent(share: number): boolean
}

/** mulberry32: small, and random enough for these choices. */
export function chanceFrom(...seeds: readonly number[]): Chance {
  let state = seeds.reduce((mixed, seed) => Math.imul(mixed ^ seed, 0x9e3779b1) ^ (mixed >>> 15), 0x2545f491)
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (below: number): number => Math.floor(next() * below)
  return {
    whole,
    pick: (choices) => choices[whole(choices.length)] ?? choices[0],
    weighed(weights) {
      const entries = Object.entries(weights) as [keyof typeof weights, number][] // Object.entries loses the names
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [name, weight] of entries) if ((left -= weight) < 0) return name
      throw new Error('nothing to choose from')
    },
    percent: (share) => next() * 100 < share,
  }
}
