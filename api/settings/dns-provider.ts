/** The account at the DNS provider for the records of the domain. */
import { checkedOf } from '../../kinds/platform/conditions.ts'
import { saveDnsProvider } from '../../records/settings/dns-provider.ts'
import { clearSetting, readValues } from '../../records/settings/save-setting.ts'
import type { Handler } from '../context/handler.ts'
import { askedBy } from '../context/wakes.ts'
import type { Needs } from '../context/needs.ts'
import { withVersion } from '../views/record-version.ts'
import { configOf, wakePlatform } from './platform-config.ts'

/** `GET /api/settings/dns-provider`: account, zones and the result of the last check; never the token. */
export const dnsProvider =
  ({ client, caches }: Needs): Handler<'settings.dns-provider'> =>
  async () => {
    const config = configOf(caches)
    const configured = config?.spec.cloudflareConnectionRef !== undefined
    const { accountId = '', zoneName = '', zones = '' } = configured ? await readValues(client, 'dns-provider') : {}
    const checked = checkedOf(config, 'CloudflareReady', configured, {
      reason: 'NotConnected',
      message: 'no DNS provider is connected',
    })
    const listed = zones.split(',').filter((zone) => zone !== '')
    const zoneId = config?.spec.cloudflareZoneID ?? ''
    return withVersion({ accountId, zoneId, zoneName, zones: listed, configured, ...checked }, config)
  }

/** `POST /api/settings/dns-provider/save`: sets the account at the DNS provider. */
export const dnsProviderSave =
  (needs: Needs): Handler<'settings.dns-provider-save'> =>
  async (call) => {
    const { params, ifMatch } = call
    const asked = { ifMatch, actor: askedBy(call).actor }
    const { apiToken, accountId, zoneName, zones, zoneId, keepExisting } = params
    await saveDnsProvider(needs.writes, { apiToken, accountId, zoneName, zones, zoneId, keepExisting }, asked)
    wakePlatform(needs, 'DNS provider saved', call)
    return { ok: true }
  }

/** `POST /api/settings/dns-provider/clear`: disconnects the DNS provider and deletes its token. */
export const dnsProviderClear =
  (needs: Needs): Handler<'settings.dns-provider-clear'> =>
  async (call) => {
    const { ifMatch } = call
    await clearSetting(needs.writes, 'dns-provider', { ifMatch, actor: askedBy(call).actor })
    wakePlatform(needs, 'DNS provider cleared', call)
    return { ok: true }
  }
