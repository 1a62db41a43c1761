/** `POST /api/apps/{app}/attach`: variables that refer to a database or bucket of the service's environment. */
import { systemNamespace } from '../../kinds/group.ts'
import { pendingWords } from '../../kinds/apps/pending-words.ts'
import { attach as attachTo } from '../../records/apps/attach.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'
import { appOf } from './scope.ts'

export const attach =
  (needs: Needs): Handler<'apps.attach'> =>
  async (call) => {
    const app = await appOf(needs, call)
    const { kind, name } = call.params
    const { databases, objectStores } = needs.caches
    const what = kind === 'database' ? { kind, record: databases.get(name, systemNamespace) } : { kind, record: objectStores.get(name, systemNamespace) }
    return { ok: true, ...pendingWords(await attachTo(needs.writes, app, what, call.ifMatch)) }
  }
