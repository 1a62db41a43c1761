/** `POST /api/settings/dns-provider/save`: the account that records of the domain are made with. */
import { saveDnsProvider } from '../../records/settings/dns-provider.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { hintPlatform } from './scope.ts'

export const dnsProviderSave =
  (needs: Needs): Handler<'settings.dns-provider-save'> =>
  async (call) => {
    const { params, ifMatch } = call
    const { apiToken, accountId, zoneName, zones, zoneId, keepExisting } = params
    await saveDnsProvider(needs.writes, { apiToken, accountId, zoneName, zones, zoneId, keepExisting }, ifMatch)
    hintPlatform(needs, 'DNS provider saved', call)
    return { ok: true }
  }
