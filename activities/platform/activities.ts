/** The activities of the platform, bound to their clients and caches. */
import { Context } from '@temporalio/activity'
import { planOfPlatform, type PlatformPlan } from '../../kinds/platform/plan.ts'
import { platformConfigName } from '../../kinds/platform/settings.ts'
import { readUsed } from './account.ts'
import { checkDomain } from './check-domain.ts'
import type { DomainInput } from './messages.ts'
import type { PlatformNeeds } from './needs.ts'
import { reconcileDns } from './reconcile-dns.ts'

export const createPlatformActivities = (needs: PlatformNeeds) => ({
  readPlatformPlan: async (): Promise<PlatformPlan> => {
    const [config, used] = await Promise.all([needs.config.readLive(platformConfigName), readUsed(needs)])
    return planOfPlatform(config, used !== undefined)
  },
  settleDns: reconcileDns(needs),
  checkDomain: (input: DomainInput): Promise<void> => checkDomain(needs)(input, Context.current().cancellationSignal),
})
