/** What is saved of a service and does not run: what a deploy would change, and taking it back. */
import { refuse } from '../../contract/problem.ts'
import { withLiveSettings } from '../../kinds/apps/draft.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { pendingWords } from '../../kinds/apps/pending-words.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { editSpec } from '../../records/apps/edit-app.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { pendingOfApp } from '../views/pending-diff.ts'
import { appOf, onApp } from './scope.ts'

/** `GET /api/apps/{app}/pending`: the fields that a deploy would change, with both values. */
export const pending =
  (needs: Needs): Handler<'apps.pending'> =>
  async (call) =>
    pendingOfApp(await appOf(needs, call))

/**
 * `POST /api/apps/{app}/discard`: the saved settings become those that run; live ones stay as they are. Secret values
 * that were replaced are gone, so that change stays pending.
 */
export const discard =
  (needs: Needs): Handler<'apps.discard'> =>
  async (call) => {
    const saved = await onApp(needs, call, (_app, writes) => editSpec(writes, call.params.app, discarded, call.ifMatch))
    return { ok: true, ...pendingWords(saved) }
  }

function discarded(app: App): AppSpec {
  const { lastDeployed, pendingChanges } = viewOf(app)
  if (pendingChanges.length === 0) return app.spec
  if (lastDeployed === undefined) throw refuse('nothing was deployed yet; delete the service to discard its draft')
  return withLiveSettings(lastDeployed, app.spec)
}
