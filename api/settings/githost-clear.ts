/** `POST /api/settings/githost/clear`: forgets the git-host app and its keys. */
import { clearSetting } from '../../records/settings/save-setting.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const githostClear =
  ({ writes }: Needs): Handler<'settings.githost-clear'> =>
  async ({ ifMatch }) => {
    await clearSetting(writes, 'githost', ifMatch)
    return { ok: true }
  }
