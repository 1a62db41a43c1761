/** `POST /apps/{name}/secrets/set`: sets a secret variable; the answer has names only. */
import { pendingChanges } from '../../kinds/apps/effective-spec.ts'
import { setSecret } from '../../records/apps/secrets.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { onApp } from './scope.ts'

export const secretsSet =
  (needs: Needs): Handler<'apps.secrets-set'> =>
  async (call) => {
    const { app, names } = await onApp(needs, call, (judged, writes) => setSecret(writes, judged, call.params.key, call.params.value))
    return { ok: true, secrets: names, pending: pendingChanges(app) }
  }
