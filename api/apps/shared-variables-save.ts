/** `POST /api/apps/{app}/shared-variables/save`: which shared variables of the project the service takes. */
import { pendingWords } from '../../kinds/apps/pending-words.ts'
import { saveSharedVariables } from '../../records/apps/variables.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { onApp } from './scope.ts'

export const sharedVariablesSave =
  (needs: Needs): Handler<'apps.shared-variables-save'> =>
  async (call) => {
    const { app: name, sharedVariable } = call.params
    const saved = await onApp(needs, call, (_app, writes) => saveSharedVariables(writes, name, sharedVariable, call.ifMatch))
    return { ok: true, ...pendingWords(saved) }
  }
