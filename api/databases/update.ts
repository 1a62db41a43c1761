/** `PATCH /databases/{name}`: backup settings apply at once, the others wait for a deploy. */
import { saveDatabaseSettings } from '../../records/databases/save-settings.ts'
import type { Handler } from '../context/handler.ts'
import { hintRecord } from '../context/hints.ts'
import type { Needs } from '../context/needs.ts'

export const update =
  (needs: Needs): Handler<'databases.update'> =>
  async (call) => {
    const { db, ...settings } = call.params
    const saved = await saveDatabaseSettings(needs.writes, db, settings, call.ifMatch)
    if (saved.liveChanged) hintRecord(needs, 'database', db, 'backup settings changed', call)
    return { ok: true, applied: 'live', ...saved }
  }
