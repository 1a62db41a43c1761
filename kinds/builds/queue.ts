/** Which build may start: a limited number run at once in the install, and projects take turns. */
import { isChecked } from './checks.ts'
import type { Build } from './kind.ts'
import { isFinished, newestFirst } from './phase.ts'

/** Whether its Job exists or is about to. */
export const holdsSlot = ({ status }: Build): boolean => status?.jobRef !== undefined

/** A build that waits for the checks of its commit is not in the queue. */
const isQueued = (build: Build): boolean => !isFinished(build) && !holdsSlot(build) && isChecked(build)

/**
 * The waiting builds in the order of their start: first the project with the fewest running or queued-ahead builds, and
 * within a project the oldest.
 */
export function queueOf(builds: readonly Build[]): Build[] {
  const taken = new Map<string, number>()
  const count = (project: string) => taken.set(project, (taken.get(project) ?? 0) + 1)
  for (const build of builds.filter(holdsSlot)) count(build.spec.project)
  const waiting = builds.filter(isQueued).sort((a, b) => newestFirst(b, a))
  const ordered: Build[] = []
  while (waiting.length > 0) {
    const least = Math.min(...waiting.map(({ spec }) => taken.get(spec.project) ?? 0))
    const place = waiting.findIndex(({ spec }) => (taken.get(spec.project) ?? 0) === least)
    const [next] = waiting.splice(place, 1)
    if (next === undefined) break
    count(next.spec.project)
    ordered.push(next)
  }
  return ordered
}

/** 0 for a build that may start now, else its position in the queue. */
export function positionOf(build: Build, builds: readonly Build[], atOnce: number): number {
  const free = atOnce - builds.filter(holdsSlot).length
  const place = queueOf(builds).findIndex(({ metadata }) => metadata.name === build.metadata.name) + 1
  return place <= free ? 0 : place - Math.max(0, free)
}
