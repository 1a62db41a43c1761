/** `PATCH /databases/{name}`: backup settings apply at once, the others wait for a deploy. */
import { saveDatabaseSettings } from '../../records/databases/save-settings.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'

export const update =
  ({ writes }: Needs): Handler<'databases.update'> =>
  async ({ params: { db, ...settings }, ifMatch }) => ({ ok: true, applied: 'live', ...(await saveDatabaseSettings(writes, db, settings, ifMatch)) })
