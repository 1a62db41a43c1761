/** The app at the git host. */
import { readGitHostApp, saveGitHost } from '../../records/settings/githost.ts'
import { clearSetting } from '../../records/settings/save-setting.ts'
import type { Handler } from '../context/handler.ts'
import { askedBy } from '../context/wakes.ts'
import type { Needs } from '../context/needs.ts'
import { withVersion } from '../views/record-version.ts'
import { configOf } from './platform-config.ts'

/** `GET /api/settings/githost`: the app that is set up at the git host; never its keys. */
export const githost =
  ({ client, caches }: Needs): Handler<'settings.githost'> =>
  async () => {
    const config = configOf(caches)
    const configured = config?.spec.githubAppRef !== undefined
    const none = { appId: '', clientId: '', slug: '' }
    const { appId, clientId, slug } = configured ? await readGitHostApp(client) : none
    return withVersion({ appId, clientId, slug, configured }, config)
  }

/** `POST /api/settings/githost/save`: sets the app, svc's identity at the git host. */
export const githostSave =
  ({ writes }: Needs): Handler<'settings.githost-save'> =>
  async (call) => {
    await saveGitHost(writes, call.params, { ifMatch: call.ifMatch, actor: askedBy(call).actor })
    return { ok: true }
  }

/** `POST /api/settings/githost/clear`: deletes the git-host app's keys here. */
export const githostClear =
  ({ writes }: Needs): Handler<'settings.githost-clear'> =>
  async (call) => {
    await clearSetting(writes, 'githost', { ifMatch: call.ifMatch, actor: askedBy(call).actor })
    return { ok: true }
  }
