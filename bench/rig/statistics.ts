/** The few numbers that summarise a row of measurements. */

/** The value below which this part of the samples lies; throws for no samples. */
export function percentile(samples: readonly number[], part: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)]
  if (value === undefined) throw new Error('nothing was measured')
  return value
}

export function median(samples: readonly number[]): number {
  const half = samples.length / 2
  const sorted = [...samples].sort((a, b) => a - b)
  const upper = sorted[Math.floor(half)] ?? Number.NaN
  return Number.isInteger(half) ? ((sorted[half - 1] ?? Number.NaN) + upper) / 2 : upper
}

/** For people: `412 ms`, `median 412 ms, p95 520 ms`. */
export const ms = (value: number): string => `${Math.round(value)} ms`

export const describeMs = (samples: readonly number[]): string =>
  `median ${ms(median(samples))}, p95 ${ms(percentile(samples, 0.95))}, n=${samples.length}`

/** Of each pair measured in the same round; throws for rows of different lengths. */
export function differences(samples: readonly number[], less: readonly number[]): number[] {
  if (samples.length !== less.length) throw new Error('the rounds of two measurements are not the same')
  return samples.map((sample, round) => sample - (less[round] ?? Number.NaN))
}

/** `median 412 ms (350 to 480)`: the middle half of the samples lies between the two. */
export const describeSpread = (samples: readonly number[]): string =>
  `median ${ms(median(samples))} (${Math.round(percentile(samples, 0.25))} to ${Math.round(percentile(samples, 0.75))})`
