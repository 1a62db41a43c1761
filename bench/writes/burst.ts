/** Bench 2 and 15: many new services deployed at once, and many running ones, until all are ready. */
import { measureCrowd } from '../rig/crowd-cost.ts'
import type { Line } from '../rig/line.ts'
import type { Population } from '../rig/population.ts'
import type { Rig } from '../rig/rig.ts'

const goalPerSecond = 10

export async function burst(
  rig: Rig,
  population: Population,
  { services: wanted }: { services: number },
): Promise<Line[]> {
  const services = Math.ceil(wanted / 4)
  const { seconds, perSecond, text, samples } = await measureCrowd(rig, services, () =>
    population.grow(population.count + services),
  )
  return [
    {
      bench: 2,
      work: `${services} new services created with a deploy, all ready after ${seconds.toFixed(1)} s: ${perSecond.toFixed(1)}/s; ${text}`,
      peer: `${goalPerSecond}/s`,
      ratio: perSecond / goalPerSecond,
      goal: { atLeast: 1 },
      samples,
    },
  ]
}

/** The same of services that run: each gets another image. */
export async function redeploys(rig: Rig, population: Population, { services }: { services: number }): Promise<Line[]> {
  await population.grow(services)
  const { seconds, perSecond, text, samples } = await measureCrowd(rig, population.count, () => population.redeploy())
  return [
    {
      bench: 15,
      work: `${population.count} running services deployed with another image, all ready after ${seconds.toFixed(1)} s: ${perSecond.toFixed(1)}/s; ${text}`,
      peer: `${goalPerSecond}/s`,
      ratio: perSecond / goalPerSecond,
      goal: { atLeast: 1 },
      samples,
    },
  ]
}
