/** `POST /api/apps/{app}/config/raw`: replaces all plain variables by lines of `NAME=value`. */
import { pendingChanges } from '../../kinds/apps/effective-spec.ts'
import { replaceConfig } from '../../records/apps/variables.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { onApp } from './scope.ts'

export const configRaw =
  (needs: Needs): Handler<'apps.config-raw'> =>
  async (call) => {
    const saved = await onApp(needs, call, (_app, writes) => replaceConfig(writes, call.params.app, call.params.config, call.ifMatch))
    return { ok: true, config: saved.spec.configData, pending: pendingChanges(saved) }
  }
