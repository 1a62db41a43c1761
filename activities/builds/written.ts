/** The status writes of a pass over a build, and its results. */
import type { Build, BuildStatus } from '../../kinds/builds/kind.ts'
import { planOfBuild } from '../../kinds/builds/plan.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { type StatusChange, writeStatus } from '../kube/write-status.ts'
import type { BuildPassed } from './messages.ts'
import { defined } from '../../contract/defined.ts'

export const write = (needs: ActivityNeeds, build: Build, change: StatusChange<BuildStatus>): Promise<Build> =>
  writeStatus(needs.client, needs.builds, resourceTypes.build, build, change)

/** Ends the build; its Job is removed by the next pass. */
export async function end(
  needs: ActivityNeeds,
  build: Build,
  phase: 'Succeeded' | 'Failed' | 'Cancelled',
  why: string,
  change: Partial<BuildStatus> = {},
): Promise<BuildPassed> {
  const completedAt = needs.now().toISOString()
  const written = await write(needs, build, {
    ...change,
    phase,
    completedAt,
    message: null,
    ...(why === '' ? {} : { failureReason: why }),
  })
  return done(written)
}

export const done = (build: Build): BuildPassed => ({
  outcome: 'done',
  message: '',
  plan: planOfBuild(build.metadata.name, build),
})

/** @param restMs milliseconds until the next pass is due at the latest; `recheckMs` of the policy if left out */
export const waiting = (build: Build, message: string, restMs?: number): BuildPassed => ({
  ...done(build),
  outcome: 'waiting',
  message,
  ...defined({ restMs }),
})
