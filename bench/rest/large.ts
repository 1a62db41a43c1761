/** Bench 16: the platform with very many services: starts, rest, a burst among them, memory. */
import { measureCrowd } from '../rig/crowd-cost.ts'
import type { Line } from '../rig/line.ts'
import { type Population, weigh } from '../rig/population.ts'
import type { Rig } from '../rig/rig.ts'
import { measureIdle } from './idle.ts'

/** So that each step is ready within the time that services may take. */
const stepOfGrowth = 500
const startGoalSeconds = 30
const memoryGoalMiB = 2048
const goalPerSecond = 10

export async function large(
  rig: Rig,
  population: Population,
  { quick, services }: { quick: boolean; services: number },
): Promise<Line[]> {
  while (population.count < services) await population.grow(Math.min(services, population.count + stepOfGrowth))
  const what = `${population.count} ready services`
  const { api, worker } = weigh(rig, population.count)
  const starts = [
    startLine(what, 'api', await secondsOf(() => rig.restartApi())),
    startLine(what, 'worker', await secondsOf(() => replaceWorker(rig))),
  ]
  const rest = await measureIdle(rig, { bench: 16, what, quick })
  const more = Math.ceil(services / 50)
  const crowd = await measureCrowd(rig, more, () => population.grow(population.count + more))
  return [
    ...starts,
    {
      bench: 16,
      work: `${what}, after they were made: api ${Math.round(api)} MiB and worker ${Math.round(worker)} MiB resident`,
      peer: `${memoryGoalMiB} MiB together`,
      ratio: (api + worker) / memoryGoalMiB,
      goal: { atMost: 1 },
    },
    ...rest,
    {
      bench: 16,
      work: `${more} new services among ${what}: ${crowd.perSecond.toFixed(1)}/s; ${crowd.text}`,
      peer: `${goalPerSecond}/s`,
      ratio: crowd.perSecond / goalPerSecond,
      goal: { atLeast: 1 },
      samples: crowd.samples,
    },
  ]
}

const startLine = (what: string, process: string, seconds: number): Line => ({
  bench: 16,
  work: `${what}: a new ${process} serves after ${seconds.toFixed(1)} s`,
  peer: `${startGoalSeconds} s`,
  ratio: seconds / startGoalSeconds,
  goal: { atMost: 1 },
})

async function replaceWorker({ workers }: Rig): Promise<void> {
  for (const name of workers.names()) workers.kill(name)
  await workers.start()
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}
