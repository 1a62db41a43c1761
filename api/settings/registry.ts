/** `GET /api/settings/registry`: where builds are pushed and whether there is a login; never the login. */
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { configOf } from './scope.ts'

export const registry =
  ({ caches }: Needs): Handler<'settings.registry'> =>
  async () => {
    const { repository = '', credentialRef } = configOf(caches)?.spec.registry ?? {}
    return { repository, configured: repository !== '', hasLogin: credentialRef !== undefined }
  }
