/** `POST /api/apps/{app}/shared-variables/save`: which shared variables of the project the service takes. */
import { pendingWords } from '../../kinds/apps/pending-words.ts'
import { saveSharedVariables } from '../../records/apps/variables.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'
import { appOf } from './scope.ts'

export const sharedVariablesSave =
  (needs: Needs): Handler<'apps.shared-variables-save'> =>
  async (call) => {
    await appOf(needs, call)
    return { ok: true, ...pendingWords(await saveSharedVariables(needs.writes, call.params.app, call.params.sharedVariable, call.ifMatch)) }
  }
