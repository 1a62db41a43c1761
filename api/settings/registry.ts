/** The registry for the images of builds. */
import { saveRegistry } from '../../records/settings/registry.ts'
import { clearSetting } from '../../records/settings/save-setting.ts'
import type { Handler } from '../context/handler.ts'
import { askedBy } from '../context/wakes.ts'
import type { Needs } from '../context/needs.ts'
import { withVersion } from '../views/record-version.ts'
import { configOf } from './platform-config.ts'

/** `GET /api/settings/registry`: the registry for images, and whether it has a login; never the login. */
export const registry =
  ({ caches }: Needs): Handler<'settings.registry'> =>
  async () => {
    const config = configOf(caches)
    const { repository = '', credentialRef } = config?.spec.registry ?? {}
    const view = { repository, configured: repository !== '', hasLogin: credentialRef !== undefined }
    return withVersion(view, config)
  }

/** `POST /api/settings/registry/save`: sets the registry for images, with or without a login. */
export const registrySave =
  ({ writes }: Needs): Handler<'settings.registry-save'> =>
  async (call) => {
    await saveRegistry(writes, call.params, { ifMatch: call.ifMatch, actor: askedBy(call).actor })
    return { ok: true }
  }

/** `POST /api/settings/registry/clear`: clears the registry, then deletes its login. */
export const registryClear =
  ({ writes }: Needs): Handler<'settings.registry-clear'> =>
  async (call) => {
    await clearSetting(writes, 'registry', { ifMatch: call.ifMatch, actor: askedBy(call).actor })
    return { ok: true }
  }
