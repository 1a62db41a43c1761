/** The words beside a deploy button: what is not deployed yet. */

import { pendingChanges } from './effective-spec.ts'
import type { App } from './kind.ts'

export interface PendingWords {
  pending: ('created' | 'settings' | 'variables')[]
  title: string
  detail: string
  button: string
}

/** For a service that has just been edited or deployed (spec, Services: "the pending state"). */
export function pendingWords(app: App): PendingWords {
  const pending = pendingChanges(app)
  if (!app.spec.deploy.enabled) {
    return { pending, title: 'Not deployed yet', detail: 'Saved as a draft. Deploy it to start it.', button: 'Deploy' }
  }
  if (pending.length === 0) return { pending, title: 'Nothing to deploy', detail: 'Everything that is saved is deployed.', button: 'Deploy again' }
  const what = pending.filter((word) => word !== 'created').join(' and ')
  return { pending, title: 'Changes to deploy', detail: `Changed ${what} take effect with the next deploy.`, button: 'Deploy changes' }
}
