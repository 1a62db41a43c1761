/** `POST /api/settings/registry/save`: where builds are pushed, with a login or without. */
import { saveRegistry } from '../../records/settings/registry.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const registrySave =
  ({ writes }: Needs): Handler<'settings.registry-save'> =>
  async ({ params, ifMatch }) => {
    await saveRegistry(writes, params, ifMatch)
    return { ok: true }
  }
