/** The activities of a build, bound to their clients and caches. */
import type { ActivityNeeds } from '../context/needs.ts'
import { buildPass } from './pass.ts'
import { planOfBuild } from '../../kinds/builds/plan.ts'

export const createBuildActivities = (needs: ActivityNeeds) => ({
  readBuildPlan: async ({ name }: { name: string }) => planOfBuild(name, await needs.builds.readLive(name)),
  passBuild: buildPass(needs),
})
