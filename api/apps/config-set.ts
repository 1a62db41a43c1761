/** `POST /apps/{name}/config/set`: sets a plain variable; pods see it with the next deploy. */
import { pendingChanges } from '../../kinds/apps/effective-spec.ts'
import { setConfig } from '../../records/apps/variables.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { onApp } from './scope.ts'

export const configSet =
  (needs: Needs): Handler<'apps.config-set'> =>
  async (call) => {
    const saved = await onApp(needs, call, (_app, writes) => setConfig(writes, call.params.app, call.params.key, call.params.value, call.ifMatch))
    return { ok: true, config: saved.spec.configData, pending: pendingChanges(saved) }
  }
