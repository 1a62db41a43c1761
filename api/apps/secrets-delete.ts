/** `POST /apps/{name}/secrets/delete`: deletes a secret variable; the answer has names only. */
import { pendingChanges } from '../../kinds/apps/effective-spec.ts'
import { deleteSecret } from '../../records/apps/secrets.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { onApp } from './scope.ts'

export const secretsDelete =
  (needs: Needs): Handler<'apps.secrets-delete'> =>
  async (call) => {
    const { app, names } = await onApp(needs, call, (judged, writes) => deleteSecret(writes, judged, call.params.key))
    return { ok: true, secrets: names, pending: pendingChanges(app) }
  }
