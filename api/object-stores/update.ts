/** `PATCH /object-stores/{name}`: settings of a bucket wait for its deploy. */
import { saveStoreSettings } from '../../records/object-stores/save-settings.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'

export const update =
  ({ writes }: Needs): Handler<'object-stores.update'> =>
  async ({ params: { store, ...settings }, ifMatch }) => {
    await saveStoreSettings(writes, store, settings, ifMatch)
    return { ok: true }
  }
