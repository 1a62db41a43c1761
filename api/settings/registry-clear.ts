/** `POST /api/settings/registry/clear`: forgets the registry, then its login. */
import { clearSetting } from '../../records/settings/save-setting.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const registryClear =
  ({ writes }: Needs): Handler<'settings.registry-clear'> =>
  async ({ ifMatch }) => {
    await clearSetting(writes, 'registry', ifMatch)
    return { ok: true }
  }
