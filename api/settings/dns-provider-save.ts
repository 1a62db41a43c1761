/** `POST /api/settings/dns-provider/save`: the account that records of the domain are made with. */
import { saveDnsProvider } from '../../records/settings/dns-provider.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'

export const dnsProviderSave =
  ({ writes }: Needs): Handler<'settings.dns-provider-save'> =>
  async ({ params: { apiToken, accountId, zoneName, zones, zoneId, keepExisting }, ifMatch }) => {
    await saveDnsProvider(writes, { apiToken, accountId, zoneName, zones, zoneId, keepExisting }, ifMatch)
    return { ok: true }
  }
