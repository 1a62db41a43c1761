/**
 * Reconciles the platform's configuration: its DNS provider brought to what is asked for, and its address verified,
 * side by side.
 */
import { CancellationScope, condition, workflowInfo } from '@temporalio/workflow'
import type { ReconcileInput } from '../../durable/messages.ts'
import type { PlatformPlan } from '../../kinds/platform/plan.ts'
import { activitiesFor } from '../calls.ts'
import { type Acted, reconcile } from '../reconcile.ts'
import { ReconcileRun } from '../reconcile-run.ts'

/**
 * Workflow id `platform/platform`. Both works wait inside their activities, whose tries add nothing to the history, for
 * days if need be: a wake-up cuts them short and both look anew. Ends when the address is verified for this generation
 * and the provider holds what it should.
 */
export async function platform(input: ReconcileInput): Promise<void> {
  const run = new ReconcileRun('platform', input)
  const { platform: activities } = activitiesFor(input.policy)
  let looked = false
  const act = async (_: boolean, woken: boolean): Promise<Acted<boolean>> => {
    if (woken) looked = false
    const plan: PlatformPlan = await activities.readPlan()
    const works: Works = {
      ...(plan.dns && !looked ? { dns: activities.reconcileDns } : {}),
      ...(plan.domain ? { domain: activities.checkDomain } : {}),
    }
    const names = Object.keys(works)
    if (names.length === 0) return { plan: true }
    run.begin({ operation: names.join(' and '), attempt: '', project: '', environment: '', actor: '' })
    looked = (await workUntilWoken(run, works)) || looked
    return { plan: false }
  }
  await reconcile<boolean>(
    run,
    { plan: false },
    // Only wake-ups make the history longer; thousands of them are carried over.
    {
      isAtRest: (plan) => plan,
      looksFirst: () => true,
      act,
      isLong: () => run.isLong || workflowInfo().continueAsNewSuggested,
    },
  )
}

interface Works {
  dns?: () => Promise<void>
  domain?: () => Promise<void>
}

/**
 * Resolves when all is done, when the provider's work is (the address may answer now, so it is asked at once), or at a
 * wake-up; never before every work has stopped. True when the provider's work ended by itself.
 */
async function workUntilWoken(run: ReconcileRun, works: Works): Promise<boolean> {
  const scope = new CancellationScope()
  let provided = false
  const dns = async () => {
    await works.dns?.()
    provided = works.dns !== undefined
    if (provided) run.note('the DNS provider holds what it should')
  }
  const domain = async () => {
    await works.domain?.()
    if (works.domain !== undefined) run.note('the address was looked at')
  }
  const ended = scope.run(() => Promise.allSettled([dns(), domain()]))
  await Promise.race([ended, condition(() => run.isWoken || provided)])
  const cut = run.isWoken || provided
  scope.cancel()
  for (const end of await ended) {
    // A try that was over when it was cut short reports what it waited for instead.
    if (end.status === 'rejected' && !cut) throw end.reason
  }
  return provided
}
