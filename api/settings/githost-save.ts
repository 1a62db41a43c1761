/** `POST /api/settings/githost/save`: who svc is at the git host. */
import { saveGitHost } from '../../records/settings/githost.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const githostSave =
  ({ writes }: Needs): Handler<'settings.githost-save'> =>
  async ({ params, ifMatch }) => {
    await saveGitHost(writes, params, ifMatch)
    return { ok: true }
  }
