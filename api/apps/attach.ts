/** `POST /api/apps/{app}/attach`: variables that refer to a database or bucket of the service's environment. */
import { pendingWords } from '../../kinds/apps/pending-words.ts'
import { attach as attachTo } from '../../records/apps/attach.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { onApp } from './scope.ts'

export const attach =
  (needs: Needs): Handler<'apps.attach'> =>
  async (call) => {
    const { kind, name } = call.params
    const { databases, logicalDatabases, objectStores } = needs.records
    const what =
      kind === 'database'
        ? { kind, record: (await databases.read(name)) ?? (await logicalDatabases.read(name)) }
        : { kind, record: await objectStores.read(name) }
    return { ok: true, ...pendingWords(await onApp(needs, call, (app, writes) => attachTo(writes, app, what, call.ifMatch))) }
  }
