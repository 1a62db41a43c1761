/**
 * One pass over the DNS provider: connection, zone, tunnel, records; or, without a connection, the removal of
 * everything that svc created there.
 */
import { annotations } from '../../kinds/meta/annotations.ts'
import { conditionOf } from '../../kinds/meta/conditions.ts'
import { dashboardUrlOf, rootDomainOf } from '../../kinds/platform/address.ts'
import type { SettingReason, SettingVerdict } from '../../kinds/platform/conditions.ts'
import type { PublicHost, Target } from '../../kinds/platform/dns-records.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { dnsIntent, isConnected } from '../../kinds/platform/plan.ts'
import { hasUnreadableTurns, platformConfigName } from '../../kinds/platform/settings.ts'
import { tunnelTarget } from '../../kinds/platform/tunnel.ts'
import { chooseZone, isWithin, type Zone, type ZoneChoice } from '../../kinds/platform/zone.ts'
import { type ProviderApi, ProviderFailure } from '../../outside/dns-provider/call.ts'
import { visibleZones } from '../../outside/dns-provider/zones.ts'
import { type GivenAccount, readGiven, readUsed, storeUsed, type UsedAccount } from './account.ts'
import { awaited, onNewest } from './await.ts'
import { setTunnelTarget } from './tunnel-target.ts'
import { leaveAccount, leaveProvider, leaveTunnel } from './leave-provider.ts'
import type { DnsInput } from './messages.ts'
import type { PlatformNeeds } from './needs.ts'
import { installUid, TakenName } from './own-objects.ts'
import { nodeAddresses, publicPlace } from './public-addresses.ts'
import { publishedHosts } from './published-hosts.ts'
import { clearRecords, applyRecords } from './apply-records.ts'
import { awaitConnector, applyTunnel, TunnelFailure } from './apply-tunnel.ts'
import { ConfigChanged, writeCondition } from './write-condition.ts'
import { recordForeign } from './record-dns-conflicts.ts'

/** A pass that ended early, with reason and message of the condition. */
class Unready extends Error {
  readonly reason: SettingReason<'CloudflareReady'>
  readonly zoneRequired: boolean

  constructor(reason: SettingReason<'CloudflareReady'>, message: string, zoneRequired = false) {
    super(message)
    this.name = 'Unready'
    this.reason = reason
    this.zoneRequired = zoneRequired
  }
}

/** Resolves once everything is as the configuration asks; until then writes the reason and throws `awaited`. */
export const reconcileDns =
  (needs: PlatformNeeds) =>
  (input: DnsInput): Promise<void> =>
    onNewest(async () => {
      const config = await needs.config.readLive(platformConfigName)
      if (!isConnected(config)) return leaveProvider(needs, config, input)
      const holdBack = Date.parse(config.status?.dns?.notBefore ?? '') - needs.now().getTime()
      if (holdBack > 0) throw awaited('the DNS provider asked to wait', holdBack)
      try {
        await reconcileConnected(needs, config, input)
      } catch (error) {
        throw await writtenAs(needs, config, error, input)
      }
    })

async function reconcileConnected(needs: PlatformNeeds, config: PlatformConfig, { passMs }: DnsInput): Promise<void> {
  if (hasUnreadableTurns(config))
    throw new Unready(
      'DNSError',
      `the annotation ${annotations.setting} of the platform configuration cannot be read; remove it`,
    )
  const given = await readGiven(needs, config.spec.cloudflareConnectionRef?.name ?? '')
  if ('incomplete' in given) throw new Unready('CredentialsIncomplete', given.incomplete)
  const until = needs.now().getTime() + passMs
  const install = await installUid(needs)
  const before = await readUsed(needs)
  if (before !== undefined && before.accountId !== given.accountId) await leaveAccount(needs, before, install, config)
  const { zones: left, tunnel: hadTunnel } =
    before?.accountId === given.accountId ? before : { zones: [], tunnel: false }
  const api = needs.provider(given)
  const zone = zoneOf(await connect(api, given), config, given)
  const url = dashboardUrlOf(config.spec)
  const tunnelled = config.spec.dashboardExposure === 'cloudflare-tunnel' && url !== undefined
  const { apiToken, accountId } = given
  const used = {
    apiToken,
    accountId,
    zones: [...new Set([...left, ...(zone === undefined ? [] : [zone.id])])],
    tunnel: tunnelled || hadTunnel,
  }
  await storeUsed(needs, used, install)
  const nodes = needs.nodes.list()
  const services = publishedHosts(needs.apps.list(), config)
  const intent = dnsIntent(config, { hosts: services, addresses: nodeAddresses(nodes) })
  const hosts =
    url === undefined ? services : [{ host: new URL(url).hostname, owner: config.metadata.uid ?? '' }, ...services]
  const inZone = hosts.filter(({ host }) => zone !== undefined && isWithin(host, zone.name))
  const tunnel = tunnelled
    ? await applyTunnel(needs, api, { account: given, install, dashboardHost: new URL(url).hostname, hosts: inZone })
    : ''
  const named = tunnelled ? await setTunnelTarget(needs, config, tunnel) : config
  await moveZones(needs, api, used, zone, install)
  if (zone !== undefined) {
    const target = tunnelled ? { name: tunnelTarget(tunnel), proxied: true } : targetOf(await publicPlace(needs, nodes))
    await reconcileZone(needs, api, { config: named, zone, hosts, target, install, until, url })
  }
  // The tunnel goes after the records that pointed to it.
  const seen =
    !tunnelled && hadTunnel
      ? await leaveTunnel(needs, api, named, { ...used, zones: zone === undefined ? [] : [zone.id] }, install)
      : named
  const connector = tunnelled ? await awaitConnector(needs) : undefined
  if (connector !== undefined) throw new Unready('TunnelError', connector)
  const found = zone === undefined ? undefined : { zoneID: zone.id, zoneName: zone.name }
  await writeCondition(needs, seen, 'CloudflareReady', readyVerdict(zone, tunnelled), {
    observedIntent: intent,
    dns: found,
    cloudflareTunnelID: tunnelled ? tunnel : undefined,
  })
}

/**
 * The verdict on a connection that works: reason `Connected` in ingress mode, `Ready` in tunnel mode
 * (docs/reference/platform.md#dns-provider).
 */
function readyVerdict(zone: Zone | undefined, tunnelled: boolean): SettingVerdict<'CloudflareReady'> {
  if (zone === undefined)
    return {
      ready: true,
      reason: 'Connected',
      message: 'the DNS provider is connected; records are made once a domain is set',
    }
  if (tunnelled)
    return { ready: true, reason: 'Ready', message: `the tunnel is up and records are kept in ${zone.name}` }
  return { ready: true, reason: 'Connected', message: `records are kept in ${zone.name}` }
}

/** The zones that the token may see: a cheap call that also checks the token. */
async function connect(api: ProviderApi, { accountId }: GivenAccount): Promise<Zone[]> {
  try {
    return await visibleZones(api, accountId)
  } catch (error) {
    if (error instanceof ProviderFailure && error.kind === 'forbidden')
      throw new Unready('CredentialsInvalid', error.message)
    throw error
  }
}

/** The zone for the domain; undefined without a domain, which needs no zone. */
function zoneOf(
  visible: readonly Zone[],
  { spec }: PlatformConfig,
  { zoneName, zones }: GivenAccount,
): Zone | undefined {
  const rootDomain = rootDomainOf(spec) ?? URL.parse(dashboardUrlOf(spec) ?? '')?.hostname ?? ''
  if (rootDomain === '') return undefined
  const choice: ZoneChoice = chooseZone(visible, { zoneId: spec.cloudflareZoneID ?? '', zoneName, zones, rootDomain })
  if ('zone' in choice) return choice.zone
  throw new Unready('DNSError', choice.message, choice.none === 'several')
}

/** Removes the records in zones that are no longer used, then those zones from the stored account. */
async function moveZones(
  needs: PlatformNeeds,
  api: ProviderApi,
  used: UsedAccount,
  zone: Zone | undefined,
  install: string,
): Promise<void> {
  const left = used.zones.filter((id) => id !== zone?.id)
  if (left.length === 0) return
  for (const id of left) {
    await clearRecords(api, id, install).catch((error: unknown) => {
      // A zone that was deleted has no records.
      if (!(error instanceof ProviderFailure && error.kind === 'not-found')) throw error
    })
  }
  await storeUsed(needs, { ...used, zones: zone === undefined ? [] : [zone.id] }, install)
}

function targetOf({ addresses, name }: { addresses: string[]; name?: string }): Target {
  if (name !== undefined) return { name, proxied: false }
  if (addresses.length === 0)
    throw new Unready('DNSError', 'this cluster has no public address that hosts could lead to')
  return { addresses }
}

interface ZoneWork {
  config: PlatformConfig
  zone: Zone
  hosts: readonly PublicHost[]
  target: Target
  install: string
  until: number
  url: string | undefined
}

async function reconcileZone(
  needs: PlatformNeeds,
  api: ProviderApi,
  { config, zone, hosts, target, install, until, url }: ZoneWork,
): Promise<void> {
  const { left, foreign } = await applyRecords(api, {
    zone,
    install,
    hosts,
    target,
    until,
    clock: () => needs.now().getTime(),
  })
  if (left > 0) throw awaited(`${left} changes of records are left`, 1)
  const dashboard = url === undefined ? undefined : new URL(url).hostname
  if (dashboard !== undefined && !isWithin(dashboard, zone.name))
    throw new Unready('DNSError', `${dashboard} is not in the zone ${zone.name}, so it can have no record there`)
  if (dashboard !== undefined && foreign.includes(dashboard))
    throw new Unready(
      'DNSError',
      `${dashboard} has a DNS record that leads elsewhere and was not made by svc; remove it`,
    )
  await recordForeign(needs, config, foreign)
}

/** Writes why a pass ended early, and resolves with the error to throw: the wait for the next pass. */
async function writtenAs(
  needs: PlatformNeeds,
  config: PlatformConfig,
  error: unknown,
  { recheckMs }: Pick<DnsInput, 'recheckMs'>,
): Promise<unknown> {
  if (error instanceof TakenName) return writtenAs(needs, config, new Unready('DNSError', error.message), { recheckMs })
  const cause = error instanceof TunnelFailure ? error.cause : error
  const failure = cause instanceof ProviderFailure ? cause : undefined
  if (!(error instanceof Unready) && !(error instanceof TunnelFailure) && failure === undefined) return error
  const { reason, message, zoneRequired } = verdictOf(error, failure)
  const said = conditionOf(config.status?.conditions, 'CloudflareReady')
  // A provider that does not answer for a while leaves a Ready condition of this generation as it is.
  const passing = failure?.kind === 'away' || failure?.kind === 'limited'
  const kept = passing && said?.status === 'True' && said.observedGeneration === config.metadata.generation
  const waitMs = failure?.kind === 'limited' ? failure.afterMs : recheckMs
  const { notBefore: _, zoneRequired: __, ...known } = config.status?.dns ?? {}
  const notBefore =
    failure?.kind === 'limited' ? { notBefore: new Date(needs.now().getTime() + waitMs).toISOString() } : {}
  const dns = { ...known, ...(zoneRequired ? { zoneRequired } : {}), ...notBefore }
  try {
    const verdict = kept
      ? { ready: true, reason: said.reason, message: said.message }
      : { ready: false, reason, message }
    await writeCondition(needs, (await newest(needs, config)) ?? config, 'CloudflareReady', verdict, {
      dns: Object.keys(dns).length === 0 ? undefined : dns,
    })
  } catch (changed) {
    if (!(changed instanceof ConfigChanged)) throw changed
    return changed
  }
  return awaited(message, waitMs)
}

function verdictOf(
  error: unknown,
  failure: ProviderFailure | undefined,
): { reason: SettingReason<'CloudflareReady'>; message: string; zoneRequired: boolean } {
  if (failure?.kind === 'invalid-token')
    return { reason: 'CredentialsInvalid', message: failure.message, zoneRequired: false }
  if (error instanceof Unready) return error
  if (error instanceof TunnelFailure) return { reason: error.reason, message: error.message, zoneRequired: false }
  return { reason: 'DNSError', message: failure?.message ?? String(error), zoneRequired: false }
}

/** The live configuration if it asks for the same; svc's own edit of `tunnelCNAMETarget` does not count. */
async function newest(needs: PlatformNeeds, config: PlatformConfig): Promise<PlatformConfig | undefined> {
  const live = await needs.config.readLive(platformConfigName)
  const asked = ({ metadata, spec: { tunnelCNAMETarget: _, ...spec } }: PlatformConfig) =>
    JSON.stringify([metadata.uid, metadata.annotations, spec])
  return live !== undefined && asked(live) === asked(config) ? live : undefined
}
