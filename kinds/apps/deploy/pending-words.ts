/** The words beside a deploy button, and the title of a deploy, from the pending changes. */
import type { PendingChange } from '../../provision/draft.ts'
import type { App } from '../kind.ts'
import { viewOf } from '../view.ts'

export interface PendingWords {
  pending: PendingChange[]
  title: string
  detail: string
  button: string
}

/** For a service that was just edited or deployed (docs/reference/services.md#pending-changes). */
export function pendingWords(app: App): PendingWords {
  const { pendingChanges: pending } = viewOf(app)
  if (!app.spec.deploy.enabled) {
    return { pending, title: 'Not deployed yet', detail: 'Saved as a draft. Deploy it to start it.', button: 'Deploy' }
  }
  if (pending.length === 0)
    return {
      pending,
      title: 'Nothing to deploy',
      detail: 'Everything that is saved is deployed.',
      button: 'Deploy again',
    }
  const what = pending.filter((word) => word !== 'created').join(' and ')
  return {
    pending,
    title: 'Changes to deploy',
    detail: `Changed ${what} take effect with the next deploy.`,
    button: 'Deploy changes',
  }
}

/** `changeTitle` of a deployment record. */
export function deployTitle(app: App): string {
  const { pendingChanges, lastDeployed } = viewOf(app)
  const changed = pendingChanges.filter((word) => word !== 'created')
  if (lastDeployed === undefined) return 'First deploy'
  return changed.length === 0 ? 'Redeploy' : `Changed ${changed.join(' and ')}`
}
