/** Bench 29: many running services deployed with another image at once, by one worker and by two, by turns. */
import type { Line } from '../rig/line.ts'
import type { Population } from '../rig/population.ts'
import { cpuSeconds } from '../rig/process-cost.ts'
import type { Rig } from '../rig/rig.ts'
import { median } from '../rig/statistics.ts'

const rounds = 3
/** Of a worker with another beside it, as a share of what one takes alone: half would be shared evenly at no cost. */
const goalShare = 0.6
/** Of both together, for the same work. */
const goalTogether = 1.2

interface Shared {
  /** Processor milliseconds for each deploy, by worker; the busiest first. */
  readonly workers: readonly number[]
  readonly perSecond: number
}

export async function twoWorkers(
  rig: Rig,
  population: Population,
  { quick, services: wanted }: { quick: boolean; services: number },
): Promise<Line[]> {
  const services = Math.ceil(wanted / 10)
  await population.grow(Math.max(population.count, services))
  // The first deploys of a worker compile what its later ones run.
  await population.redeploy()
  const alone: Shared[] = []
  const shared: Shared[] = []
  for (let round = 0; round < (quick ? 1 : rounds); round += 1) {
    alone.push(await redeploy(rig, population))
    const second = await rig.workers.start()
    try {
      await population.redeploy()
      shared.push(await redeploy(rig, population))
    } finally {
      // Other benches want one.
      rig.workers.kill(second)
    }
  }
  const one = median(alone.map(sum))
  const busiest = median(shared.map(busier))
  const both = median(shared.map(sum))
  const rates = `${rate(shared)}/s by two, ${rate(alone)}/s by one`
  return [
    {
      bench: 29,
      work: `${population.count} running services deployed with another image: the busier of two workers takes ${busiest.toFixed(1)} processor ms each; ${rates}`,
      peer: `${one.toFixed(1)} ms of one worker`,
      ratio: busiest / one,
      goal: { atMost: goalShare },
      samples: { alone: alone.map(sum), busiest: shared.map(busier) },
    },
    {
      bench: 29,
      work: `the same: both workers together take ${both.toFixed(1)} processor ms each`,
      peer: `${one.toFixed(1)} ms of one worker`,
      ratio: both / one,
      goal: { atMost: goalTogether },
      samples: { both: shared.map(sum), perSecondByOne: alone.map(speed), perSecondByTwo: shared.map(speed) },
    },
  ]
}

const sum = ({ workers }: Shared): number => workers.reduce((total, each) => total + each, 0)
const busier = ({ workers: [most = 0] }: Shared): number => most
const speed = ({ perSecond }: Shared): number => perSecond
const rate = (all: readonly Shared[]): string => median(all.map(speed)).toFixed(1)

async function redeploy({ workers }: Rig, population: Population): Promise<Shared> {
  const spent = (): number[] => workers.names().map((name) => cpuSeconds(workers.pid(name)))
  const before = spent()
  const ms = await population.redeploy()
  return {
    workers: spent()
      .map((seconds, worker) => ((seconds - (before[worker] ?? 0)) * 1000) / population.count)
      .toSorted((a, b) => b - a),
    perSecond: population.count / (ms / 1000),
  }
}
