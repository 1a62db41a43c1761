/**
 * Takes away what was made at the DNS provider, and forgets its token last: a connection that was cleared leaves
 * nothing behind.
 */
import { conditionOf } from '../../kinds/meta/conditions.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { type ProviderApi, ProviderFailure } from '../../outside/dns-provider/call.ts'
import { recordEvent } from '../kube/event.ts'
import { forgetUsed, keepUsed, readUsed, type UsedAccount } from './account.ts'
import { awaited } from './await.ts'
import { dropTunnelTarget } from './tunnel-target.ts'
import type { DnsInput } from './messages.ts'
import type { PlatformNeeds } from './needs.ts'
import { installUid } from './own-objects.ts'
import { clearRecords } from './apply-records.ts'
import { clearTunnel, removeConnector } from './apply-tunnel.ts'
import { writeCondition } from './write-condition.ts'

/** Nothing is connected any more. Throws `awaited` while the provider cannot be asked. */
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
 * Records and tunnel in an account that is no longer used. One whose token is not taken any more cannot be cleaned:
 * that is said in an Event, and it is forgotten. Throws ProviderFailure when it has to be tried again.
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

/** Ingress mode has no tunnel: an existing one is removed, also from the record and the account. */
export async function leaveTunnel(
  needs: PlatformNeeds,
  api: ProviderApi,
  config: PlatformConfig,
  used: UsedAccount,
  install: string,
): Promise<PlatformConfig> {
  await clearTunnel(needs, api, used.accountId, install)
  const left = await dropTunnelTarget(needs, config)
  await keepUsed(needs, { ...used, tunnel: false }, install)
  return left
}

/** A zone that went took its records along. */
async function unlessGone(clear: () => Promise<void>): Promise<void> {
  try {
    await clear()
  } catch (error) {
    if (!(error instanceof ProviderFailure) || error.kind !== 'not-found') throw error
  }
}
