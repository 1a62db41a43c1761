/** A project that fills up with ready services, and what api and worker weighed while it was empty. */
import type { Rig } from './rig.ts'
import { residentMiB } from './process-cost.ts'
import { createProject, createServices, untilReady } from './services.ts'

export interface Weight {
  readonly services: number
  readonly api: number
  readonly worker: number
}

export interface Population {
  readonly project: string
  readonly count: number
  /** Resident memory in MiB before the first service. */
  readonly empty: Weight
  /** Creates and deploys services until there are this many; resolves with the milliseconds until all were ready. */
  grow(count: number): Promise<number>
}

export async function createPopulation(rig: Rig): Promise<Population> {
  const project = await createProject(rig.client)
  const empty = weigh(rig, 0)
  let count = 0
  return {
    project,
    empty,
    get count() {
      return count
    },
    async grow(wanted) {
      const names = Array.from({ length: Math.max(0, wanted - count) }, (_, place) => `service-${count + place + 1}`)
      const began = performance.now()
      await createServices(rig.client, project, names)
      await untilReady(rig.client, project, Math.max(wanted, count))
      count = Math.max(wanted, count)
      return performance.now() - began
    },
  }
}

/** Workers together, when there are several. */
export function weigh({ apiPid, workers }: Rig, services: number): Weight {
  const worker = workers.names().reduce((sum, name) => sum + residentMiB(workers.pid(name)), 0)
  return { services, api: residentMiB(apiPid()), worker }
}
