/** `POST /api/settings/dns-provider/clear`: disconnects the DNS provider and forgets its token. */
import { clearSetting } from '../../records/settings/save-setting.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'

export const dnsProviderClear =
  ({ writes }: Needs): Handler<'settings.dns-provider-clear'> =>
  async ({ ifMatch }) => {
    await clearSetting(writes, 'dns-provider', ifMatch)
    return { ok: true }
  }
