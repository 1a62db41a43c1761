/** Projects that fill up with ready services, and what api and worker weighed while there were none. */
import { defaultQuota } from '../../kinds/pods/environment-quota.ts'
import type { Rig } from './rig.ts'
import { residentMiB } from './process-cost.ts'
import { createProject, createServices, deployImages, imageOfRound, untilReady } from './services.ts'

export interface Weight {
  readonly services: number
  readonly api: number
  readonly worker: number
}

export interface Population {
  /** The first of them. */
  readonly project: string
  readonly count: number
  /** Resident memory in MiB before the first service. */
  readonly empty: Weight
  /** Creates and deploys services until there are this many; resolves with the milliseconds until all were ready. */
  grow(count: number): Promise<number>
  /** Deploys the other sample image to all of them; resolves with the milliseconds until all were ready with it. */
  redeploy(): Promise<number>
}

/** Services of one copy each, all in one environment. */
const perProject = Number(defaultQuota.pods)

export async function createPopulation(rig: Rig): Promise<Population> {
  const project = await createProject(rig.client)
  const empty = weigh(rig, 0)
  const projects = [project]
  let count = 0
  let round = 0
  return {
    project,
    empty,
    get count() {
      return count
    },
    async grow(wanted) {
      // Before any service: a worker that is busy with hundreds of them sets projects up late.
      while (projects.length * perProject < wanted) projects.push(await createProject(rig.client))
      const began = performance.now()
      for (const [place, filled] of projects.entries()) {
        const end = Math.min(wanted, perProject * (place + 1))
        const names = Array.from({ length: Math.max(0, end - count) }, (_, next) => `service-${count + next + 1}`)
        await createServices(rig.client, filled, names)
        count += names.length
      }
      for (const [place, filled] of projects.entries())
        await untilReady(rig.client, filled, Math.min(perProject, count - place * perProject))
      return performance.now() - began
    },
    async redeploy() {
      const image = imageOfRound(round++)
      const began = performance.now()
      await deployImages(rig.client, namesOf(0, count), image)
      for (const [place, filled] of projects.entries())
        await untilReady(rig.client, filled, Math.min(perProject, count - place * perProject), image)
      return performance.now() - began
    },
  }
}

const namesOf = (from: number, to: number): string[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, place) => `service-${from + place + 1}`)

/** Workers together, when there are several. */
export function weigh({ apiPid, workers }: Rig, services: number): Weight {
  const worker = workers.names().reduce((sum, name) => sum + residentMiB(workers.pid(name)), 0)
  return { services, api: residentMiB(apiPid()), worker }
}
