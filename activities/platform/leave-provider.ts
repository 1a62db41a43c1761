/**
 * Removes everything that svc created at the DNS provider, once the connection is cleared or changed; the token is
 * deleted last.
 */
import { conditionOf } from '../../kinds/meta/conditions.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { type ProviderApi, ProviderFailure } from '../../outside/dns-provider/call.ts'
import { recordEvent } from '../kube/event.ts'
import { forgetUsed, readUsed, storeUsed, type UsedAccount } from './account.ts'
import { awaited } from './await.ts'
import { dropTunnelTarget } from './tunnel-target.ts'
import type { DnsInput } from './messages.ts'
import type { PlatformNeeds } from './needs.ts'
import { installUid } from './own-objects.ts'
import { clearRecords } from './apply-records.ts'
import { clearTunnel, removeConnector } from './apply-tunnel.ts'
import { writeCondition } from './write-condition.ts'

/** For a configuration without a connection. Throws `awaited` while the provider does not answer. */
export async function leaveProvider(
  needs: PlatformNeeds,
  config: PlatformConfig | undefined,
  { recheckMs }: DnsInput,
): Promise<void> {
  const install = await installUid(needs)
  const used = await readUsed(needs)
  if (used !== undefined) {
    try {
      await leaveAccount(needs, used, install, config)
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error
      throw awaited(`records are to be removed: ${error.message}`, error.kind === 'limited' ? error.afterMs : recheckMs)
    }
  }
  await removeConnector(needs, install)
  if (
    config === undefined ||
    (conditionOf(config.status?.conditions, 'CloudflareReady') === undefined &&
      config.status?.cloudflareTunnelID === undefined)
  )
    return
  const left = await dropTunnelTarget(needs, config)
  await writeCondition(needs, left, 'CloudflareReady', undefined, {
    observedIntent: undefined,
    cloudflareTunnelID: undefined,
    dns: undefined,
  })
}

/**
 * Removes records and tunnel in an account that is no longer used. If the provider refuses the token they cannot be
 * removed: an Event says so, and the account is forgotten. Throws ProviderFailure if a retry may help.
 */
export async function leaveAccount(
  needs: PlatformNeeds,
  used: UsedAccount,
  install: string,
  config?: PlatformConfig,
): Promise<void> {
  const api = needs.provider(used)
  try {
    for (const zone of used.zones) await unlessGone(() => clearRecords(api, zone, install))
    if (used.tunnel) await unlessGone(() => clearTunnel(needs, api, used.accountId, install))
  } catch (error) {
    if (!(error instanceof ProviderFailure) || (error.kind !== 'invalid-token' && error.kind !== 'forbidden'))
      throw error
    const message = `DNS records of svc may be left at the DNS provider, since its token may not remove them: ${error.message}`
    if (config !== undefined)
      await recordEvent(
        needs.client,
        config,
        { type: 'Warning', reason: 'RecordsLeft', message, occurrence: used.accountId },
        needs.now(),
      )
  }
  await forgetUsed(needs, install)
}

/** Ingress mode has no tunnel: removes an existing one, and its name from the configuration and the stored account. */
export async function leaveTunnel(
  needs: PlatformNeeds,
  api: ProviderApi,
  config: PlatformConfig,
  used: UsedAccount,
  install: string,
): Promise<PlatformConfig> {
  await clearTunnel(needs, api, used.accountId, install)
  const left = await dropTunnelTarget(needs, config)
  await storeUsed(needs, { ...used, tunnel: false }, install)
  return left
}

/** Ignores `not-found`: a zone that was deleted has no records. */
async function unlessGone(clear: () => Promise<void>): Promise<void> {
  try {
    await clear()
  } catch (error) {
    if (!(error instanceof ProviderFailure) || error.kind !== 'not-found') throw error
  }
}
