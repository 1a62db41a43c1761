/**
 * Reconciles the platform's configuration: reconciles the DNS provider and verifies the dashboard's address, both at
 * the same time.
 */
import { CancellationScope, condition, workflowInfo } from '@temporalio/workflow'
import type { ReconcileInput } from '../../durable/messages.ts'
import type { PlatformPlan } from '../../kinds/platform/plan.ts'
import { activitiesFor } from '../calls.ts'
import { type Acted, reconcile } from '../reconcile.ts'
import { ReconcileRun } from '../reconcile-run.ts'

/**
 * Workflow id `platform/platform`. Both works wait inside their activities, for days if need be, since retries add
 * nothing to the history: a wake cancels them, and both begin anew. Ends when the address is verified for this
 * generation and the DNS provider has the wanted records.
 */
export async function platform(input: ReconcileInput): Promise<void> {
  const run = new ReconcileRun('platform', input)
  const { platform: activities } = activitiesFor(input.policy)
  let looked = false
  /** Who asked for the domain that this run checks: later passes of it are for the same one. */
  let actor = ''
  const act = async (_: boolean, woken: boolean): Promise<Acted<boolean>> => {
    if (woken) looked = false
    const plan: PlatformPlan = await activities.readPlan()
    actor = plan.actor ?? actor
    const works: Works = {
      ...(plan.dns && !looked ? { dns: activities.reconcileDns } : {}),
      ...(plan.domain ? { domain: activities.checkDomain } : {}),
    }
    const names = Object.keys(works)
    if (names.length === 0) return { plan: true }
    run.begin({ operation: names.join(' and '), attempt: '', project: '', environment: '', actor })
    looked = (await workUntilWoken(run, works)) || looked
    return { plan: false }
  }
  await reconcile<boolean>(
    run,
    { plan: false },
    // Only wakes make the history longer; after thousands of them the run continues as new.
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
 * Resolves when both works are done, when the DNS provider's is (the address may answer now, so the next pass checks it
 * at once), or at a wake; in each case after both have stopped. True if the DNS provider's work was completed.
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
    // A work that was cancelled between two tries rejects with its last wait, which is no failure.
    if (end.status === 'rejected' && !cut) throw end.reason
  }
  return provided
}
