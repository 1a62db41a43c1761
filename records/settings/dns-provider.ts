/** The account at the DNS provider: token in a Secret, zone in the configuration. */
import { refuse } from '../../contract/problem.ts'
import { settingSecrets } from '../../kinds/platform/settings.ts'
import type { ConfigNeeds } from './platform-config.ts'
import { type Asked, saveSetting } from './save-setting.ts'

export interface DnsSettings {
  /** Undefined keeps the stored value, with `keepExisting`. */
  apiToken: string | undefined
  accountId: string | undefined
  zoneName: string | undefined
  zones: readonly string[] | undefined
  zoneId: string | undefined
  keepExisting: boolean
}

/** Throws Problem invalid_request when token or account is neither given nor stored. */
export async function saveDnsProvider(needs: ConfigNeeds, settings: DnsSettings, asked?: Asked): Promise<void> {
  await saveSetting(
    needs,
    'dns-provider',
    (stored, config) => {
      const known = settings.keepExisting ? stored : {}
      const {
        apiToken = known['apiToken'] ?? '',
        accountId = known['accountId'] ?? '',
        zoneName = known['zoneName'] ?? '',
      } = settings
      const zones = settings.zones?.join(',') ?? known['zones'] ?? ''
      const zoneId = settings.zoneId ?? (settings.keepExisting ? config?.spec.cloudflareZoneID : undefined) ?? ''
      if (apiToken === '') throw refuse('apiToken is required')
      if (accountId === '') throw refuse('accountId is required')
      const values = {
        apiToken,
        accountId,
        ...(zoneName === '' ? {} : { zoneName }),
        ...(zones === '' ? {} : { zones }),
      }
      const part = {
        cloudflareConnectionRef: { name: settingSecrets['dns-provider'] },
        ...(zoneId === '' ? {} : { cloudflareZoneID: zoneId }),
      }
      return { values, part }
    },
    asked,
  )
}
