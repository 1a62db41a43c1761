/** `POST /api/apps/{app}/env/delete`: deletes a reference variable. */
import { pendingWords } from '../../kinds/apps/pending-words.ts'
import { deleteEnv } from '../../records/apps/variables.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { onApp } from './scope.ts'

export const envDelete =
  (needs: Needs): Handler<'apps.env-delete'> =>
  async (call) => {
    const saved = await onApp(needs, call, (_app, writes) => deleteEnv(writes, call.params.app, call.params.name, call.ifMatch))
    return { ok: true, ...pendingWords(saved) }
  }
