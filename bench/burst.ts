/** Bench 2: many new services deployed at once, from the first request until all are ready. */
import type { Line } from './line.ts'
import type { Population } from './rig/population.ts'

const goalPerSecond = 10

export async function burst(population: Population, { quick }: { quick: boolean }): Promise<Line[]> {
  const services = quick ? 20 : 500
  const ms = await population.grow(population.count + services)
  const perSecond = services / (ms / 1000)
  return [
    {
      bench: 2,
      work: `${services} new services created with a deploy, all ready after ${(ms / 1000).toFixed(1)} s: ${perSecond.toFixed(1)}/s`,
      peer: `${goalPerSecond}/s`,
      ratio: perSecond / goalPerSecond,
      goal: { atLeast: 1 },
    },
  ]
}
