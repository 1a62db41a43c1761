/** Bench 6: what a thousand services weigh in the memory of api and worker. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Line } from '../rig/line.ts'
import { type Population, weigh } from '../rig/population.ts'
import type { Rig } from '../rig/rig.ts'

const restMs = 20_000
/** For both together at idle, Temporal and the cluster not counted. */
const goalMiB = 400

export async function memory(
  rig: Rig,
  population: Population,
  { quick, services }: { quick: boolean; services: number },
): Promise<Line[]> {
  await population.grow(services)
  if (!quick) await sleep(restMs)
  const { empty, count } = population
  const full = weigh(rig, count)
  const sizeOf = (process: 'api' | 'worker') =>
    `${process} ${Math.round(empty[process])} -> ${Math.round(full[process])} MiB (${Math.round((full[process] - empty[process]) / (count / 1000))} per 1,000)`
  return [
    {
      bench: 6,
      work: `resident memory with ${count} services: ${sizeOf('api')}, ${sizeOf('worker')}`,
      peer: `${goalMiB} MiB for both`,
      ratio: (full.api + full.worker) / goalMiB,
      goal: { atMost: 1 },
      samples: { apiMiB: [empty.api, full.api], workerMiB: [empty.worker, full.worker] },
    },
  ]
}
