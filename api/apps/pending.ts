/** The pending changes of a service: show what a deploy would change, and discard it. */
import { appDraft } from '../../kinds/apps/spec/draft.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { pendingWords } from '../../kinds/apps/deploy/pending-words.ts'
import { withoutPending } from '../../kinds/provision/draft.ts'
import { editSpec } from '../../records/apps/edit-app.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { pendingOfApp } from '../views/pending-diff.ts'
import { appOf, onApp } from './service-of-call.ts'

/** `GET /api/apps/{app}/pending`: the fields that a deploy would change, with both values. */
export const pending =
  (needs: Needs): Handler<'apps.pending'> =>
  async (call) =>
    pendingOfApp(await appOf(needs, call))

/**
 * `POST /api/apps/{app}/discard`: saves the deployed settings again; live ones stay. Replaced secret values are gone,
 * so a change of them stays pending.
 */
export const discard =
  (needs: Needs): Handler<'apps.discard'> =>
  async (call) => {
    const saved = await onApp(needs, call, (_app, writes) => editSpec(writes, call.params.app, discarded, call.ifMatch))
    return { ok: true, ...pendingWords(saved) }
  }

const discarded = (app: App): AppSpec => withoutPending(appDraft, app, 'service')
