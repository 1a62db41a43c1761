/** `POST /apps/{name}/config/delete`: deletes a plain variable; pods see it with the next deploy. */
import { pendingChanges } from '../../kinds/apps/effective-spec.ts'
import { deleteConfig } from '../../records/apps/variables.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { onApp } from './scope.ts'

export const configDelete =
  (needs: Needs): Handler<'apps.config-delete'> =>
  async (call) => {
    const saved = await onApp(needs, call, (_app, writes) => deleteConfig(writes, call.params.app, call.params.key, call.ifMatch))
    return { ok: true, config: saved.spec.configData, pending: pendingChanges(saved) }
  }
