/** Bench 2: many new services deployed at once, from the first request until all are ready. */
import type { Line } from '../rig/line.ts'
import type { Population } from '../rig/population.ts'
import { cpuSeconds } from '../rig/process-cost.ts'
import type { Rig } from '../rig/rig.ts'

const goalPerSecond = 10

export async function burst(
  rig: Rig,
  population: Population,
  { services: wanted }: { services: number },
): Promise<Line[]> {
  const services = Math.ceil(wanted / 4)
  const before = processorTime(rig)
  const ms = await population.grow(population.count + services)
  const spent = Object.entries(processorTime(rig)).map(
    ([name, seconds]) => [name, (seconds - (before[name] ?? 0)) / services] as const,
  )
  const shares = spent
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, seconds]) => `${name} ${Math.round(seconds * 1000)}`)
  const perSecond = services / (ms / 1000)
  return [
    {
      bench: 2,
      work: `${services} new services created with a deploy, all ready after ${(ms / 1000).toFixed(1)} s: ${perSecond.toFixed(1)}/s; processor ms per service: ${shares.join(', ')}`,
      peer: `${goalPerSecond}/s`,
      ratio: perSecond / goalPerSecond,
      goal: { atLeast: 1 },
      samples: Object.fromEntries(spent.map(([name, seconds]) => [`${name} cpu s per service`, [seconds]])),
    },
  ]
}

/** Processor seconds by process: on a shared machine these mean more than the clock. */
const processorTime = (rig: Rig): Record<string, number> =>
  Object.fromEntries(Object.entries(rig.pids()).map(([name, pid]) => [name, cpuSeconds(pid)]))
