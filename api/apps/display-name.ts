/** `POST /api/apps/{app}/display-name`: the display label; empty takes it away. */
import { saveDisplayName } from '../../records/apps/save-settings.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { onApp } from './scope.ts'

export const displayName =
  (needs: Needs): Handler<'apps.display-name'> =>
  async (call) => {
    await onApp(needs, call, (_app, writes) => saveDisplayName(writes, call.params.app, call.params.displayName, call.ifMatch))
    return { ok: true }
  }
