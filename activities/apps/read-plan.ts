/** What a service's record asks for right now. */

import { type Plan, planNow } from '../../kinds/apps/view.ts'
import type { ActivityNeeds } from '../context/needs.ts'

export const readPlan =
  (needs: ActivityNeeds) =>
  async ({ name }: { name: string }): Promise<Plan> => {
    const app = await needs.apps.readLive(name)
    return planNow(name, app)
  }
