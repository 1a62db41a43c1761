/** `GET /api/settings/dns-provider`: the account and its zones, and what the last check said; never the token. */
import { checkedOf } from '../../kinds/platform/conditions.ts'
import { readValues } from '../../records/settings/save-setting.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { configOf } from './scope.ts'

export const dnsProvider =
  ({ client, caches }: Needs): Handler<'settings.dns-provider'> =>
  async () => {
    const config = configOf(caches)
    const configured = config?.spec.cloudflareConnectionRef !== undefined
    const { accountId = '', zoneName = '', zones = '' } = configured ? await readValues(client, 'dns-provider') : {}
    const checked = checkedOf(config, 'CloudflareReady', configured, { reason: 'NotConnected', message: 'no DNS provider is connected' })
    const listed = zones.split(',').filter((zone) => zone !== '')
    return { accountId, zoneId: config?.spec.cloudflareZoneID ?? '', zoneName, zones: listed, configured, ...checked }
  }
