/** `POST /api/settings/dns-provider/clear`: disconnects the DNS provider and forgets its token. */
import { clearSetting } from '../../records/settings/save-setting.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { hintPlatform } from './scope.ts'

export const dnsProviderClear =
  (needs: Needs): Handler<'settings.dns-provider-clear'> =>
  async (call) => {
    const { ifMatch } = call
    await clearSetting(needs.writes, 'dns-provider', ifMatch)
    hintPlatform(needs, 'DNS provider cleared', call)
    return { ok: true }
  }
