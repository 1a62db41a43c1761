/** The story of the platform's configuration: its DNS provider brought to what is asked for, and its address verified, side by side. */

import { CancellationScope, condition, workflowInfo } from '@temporalio/workflow'
import type { SettleInput } from '../../durable/messages.ts'
import type { PlatformPlan } from '../../kinds/platform/plan.ts'
import { activitiesFor } from '../activities.ts'
import { Episode } from '../episode.ts'

/**
 * Workflow id `platform/platform`; opened and woken like `service`. Both works wait inside their activities, whose tries add nothing
 * to the history, for days if need be: a hint cuts them short and both look anew. Ends when the address is verified for this
 * generation and the provider holds what it should; what it keeps is in the record, so ending it by hand is safe.
 */
export async function platform(input: SettleInput): Promise<void> {
  const episode = new Episode('platform', input)
  const { platform: sides } = activitiesFor(input.policy)
  let looked = false
  for (;;) {
    if (episode.hinted) looked = false
    episode.heard()
    const plan: PlatformPlan = await sides.readPlan()
    const works: Works = {
      ...(plan.dns && !looked ? { dns: sides.settleDns } : {}),
      ...(plan.domain ? { domain: sides.checkDomain } : {}),
    }
    const names = Object.keys(works)
    if (names.length > 0) {
      episode.begin({ operation: names.join(' and '), attempt: '', project: '', environment: '', actor: '' })
      looked = (await workUntilHinted(episode, works)) || looked
    } else if (!episode.hinted) break // no await from here to the end, so no hint is lost
    // Only hints make the history longer; thousands of them are carried over.
    if (episode.isLong || workflowInfo().continueAsNewSuggested) return episode.handOver()
  }
  episode.end('Settled', 'nothing left to do')
}

interface Works {
  dns?: () => Promise<void>
  domain?: () => Promise<void>
}

/**
 * Resolves when all is done, when the provider's work is (the address may answer now, so it is asked at once), or at a hint; never
 * before every work has stopped. True when the provider's work ended by itself.
 */
async function workUntilHinted(episode: Episode, works: Works): Promise<boolean> {
  const scope = new CancellationScope()
  let provided = false
  const dns = async () => {
    await works.dns?.()
    provided = works.dns !== undefined
    if (provided) episode.note('the DNS provider holds what it should')
  }
  const domain = async () => {
    await works.domain?.()
    if (works.domain !== undefined) episode.note('the address was looked at')
  }
  const ended = scope.run(() => Promise.allSettled([dns(), domain()]))
  await Promise.race([ended, condition(() => episode.hinted || provided)])
  const cut = episode.hinted || provided
  scope.cancel()
  for (const end of await ended) {
    // A try that was over when it was cut short tells what it waited for instead of that.
    if (end.status === 'rejected' && !cut) throw end.reason
  }
  return provided
}
