/** `PATCH /object-stores/{name}`: settings of a bucket wait for its deploy. */
import { saveStoreSettings } from '../../records/object-stores/save-settings.ts'
import type { Handler } from '../context/handler.ts'
import { hintRecord } from '../context/hints.ts'
import type { Needs } from '../context/needs.ts'

export const update =
  (needs: Needs): Handler<'object-stores.update'> =>
  async (call) => {
    const { store, ...settings } = call.params
    await saveStoreSettings(needs.writes, store, settings, call.ifMatch)
    hintRecord(needs, 'objectStore', store, 'settings changed', call)
    return { ok: true }
  }
