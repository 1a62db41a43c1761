/** `GET /api/settings/githost`: which app is set up at the git host; never its keys. */
import { readValues } from '../../records/settings/save-setting.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { configOf } from './scope.ts'

export const githost =
  ({ client, caches }: Needs): Handler<'settings.githost'> =>
  async () => {
    const configured = configOf(caches)?.spec.githubAppRef !== undefined
    const { app_id: appId = '', client_id: clientId = '', slug = '' } = configured ? await readValues(client, 'githost') : {}
    return { appId, clientId, slug, configured }
  }
