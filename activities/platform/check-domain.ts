/**
 * One check of the dashboard's address: the probe decides, and the condition explains its failure
 * (docs/reference/platform.md#domain-verification).
 */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { ClusterError, isForbidden } from '../../cluster/objects/errors.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { conditionOf } from '../../kinds/meta/conditions.ts'
import { dashboardUrlOf } from '../../kinds/platform/address.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { asksForCheck } from '../../kinds/platform/plan.ts'
import { platformConfigName } from '../../kinds/platform/settings.ts'
import { type DomainFacts, domainVerdict, noDomain, timedOut } from '../../kinds/platform/verdict.ts'
import type { Condition } from '../../kinds/meta/resource.ts'
import { awaited, onNewest } from './await.ts'
import { applyDashboardIngress } from './dashboard-ingress.ts'
import type { DomainInput } from './messages.ts'
import type { AddressedNode, PlatformNeeds } from './needs.ts'
import { TakenName } from './own-objects.ts'
import { publicPlace } from './public-addresses.ts'
import { writeCondition } from './write-condition.ts'
import { defined } from '../../contract/defined.ts'

const clusterIssuers: ResourceType = {
  group: 'cert-manager.io',
  version: 'v1',
  kind: 'ClusterIssuer',
  plural: 'clusterissuers',
  namespaced: false,
}

/**
 * Resolves once this generation is verified, or has no address to verify; until then writes the reason and throws
 * `awaited`.
 */
export const checkDomain =
  (needs: PlatformNeeds) =>
  (input: DomainInput, signal: AbortSignal): Promise<void> =>
    onNewest(async () => {
      const config = await needs.config.readLive(platformConfigName)
      if (config === undefined || !asksForCheck(config)) return
      const url = dashboardUrlOf(config.spec)
      const broken = await applyDashboardIngress(needs, url, config.spec.dashboardExposure).catch(refused)
      if (url === undefined) {
        await writeCondition(needs, config, 'DashboardDomainReady', noDomain, { domainCheck: undefined })
        return
      }
      const unanswered = await needs.probe(url, input.tryMs, signal)
      const verdict = domainVerdict(
        unanswered === undefined
          ? { url, exposure: config.spec.dashboardExposure }
          : await explain(needs, config, url, unanswered, broken),
      )
      if (verdict.ready) {
        await writeCondition(needs, config, 'DashboardDomainReady', verdict, { domainCheck: undefined })
        return
      }
      const generation = config.metadata.generation ?? 0
      const begun = config.status?.domainCheck
      const since = begun?.generation === generation ? begun.since : needs.now().toISOString()
      const leftMs = Date.parse(since) + input.pendingMs - needs.now().getTime()
      const reported = leftMs > 0 ? verdict : timedOut(verdict, input.pendingMs, input.slowMs)
      await writeCondition(needs, config, 'DashboardDomainReady', reported, { domainCheck: { generation, since } })
      throw awaited(
        `${reported.reason}: ${reported.message}`,
        leftMs > 0 ? Math.min(input.recheckMs, leftMs) : input.slowMs,
      )
    })

/** The message of an error that the dashboard's Ingress was refused with; throws any other error. */
function refused(error: unknown): string {
  if (error instanceof TakenName || isForbidden(error)) return error instanceof Error ? error.message : String(error)
  throw error
}

async function explain(
  needs: PlatformNeeds,
  config: PlatformConfig,
  url: string,
  unanswered: string,
  broken: string | undefined,
): Promise<DomainFacts> {
  const { dashboardExposure: exposure, tunnelCNAMETarget } = config.spec
  const facts = {
    url,
    exposure,
    unanswered,
    ...providerOf(config),
    ...defined({ tunnel: tunnelCNAMETarget }),
  }
  if (broken !== undefined) return { ...facts, broken }
  const nodes = await listNodes(needs)
  if ('broken' in nodes) return { ...facts, broken: nodes.broken }
  const { addresses, name } = await publicPlace(needs, nodes.items)
  const [dns, balancer, issuer] = await Promise.all([
    needs.lookup.find(new URL(url).hostname),
    name === undefined ? { addresses: [] } : needs.lookup.find(name),
    exposure === 'ingress' ? unreadyIssuer(needs) : undefined,
  ])
  const cluster = { addresses: [...addresses, ...('addresses' in balancer ? balancer.addresses : [])] }
  return { ...facts, cluster, dns, ...defined({ issuer }) }
}

/** The provider's condition as an explanation, if it is of this generation. */
function providerOf({ metadata, spec, status }: PlatformConfig): Pick<DomainFacts, 'provider'> {
  if (spec.cloudflareConnectionRef === undefined) return {}
  const said = conditionOf(status?.conditions, 'CloudflareReady')
  if (said?.observedGeneration !== metadata.generation)
    return { provider: { reason: '', message: 'the DNS provider is being asked', zoneRequired: false } }
  return said?.status === 'False'
    ? { provider: { reason: said.reason, message: said.message, zoneRequired: status?.dns?.zoneRequired === true } }
    : {}
}

async function listNodes({ client }: PlatformNeeds): Promise<{ items: AddressedNode[] } | { broken: string }> {
  try {
    return await client.list<AddressedNode>(coreTypes.node)
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error
    return { broken: `the nodes of the cluster cannot be listed: ${error.message}` }
  }
}

/**
 * Why the issuer is not ready, in ingress mode (docs/reference/platform.md#domain-verification); undefined if it is, or
 * if cert-manager or the issuer does not exist.
 */
async function unreadyIssuer({ client, placement }: PlatformNeeds): Promise<string | undefined> {
  type Issuer = KubeObject & { status?: { conditions?: readonly Condition[] } }
  const issuer = await client.get<Issuer>({ type: clusterIssuers, name: placement.clusterIssuer })
  if (issuer === undefined) return undefined
  const ready = issuer.status?.conditions?.find(({ type }) => type === 'Ready')
  if (ready?.status === 'True') return undefined
  return `cluster issuer ${placement.clusterIssuer} is not ready${ready === undefined ? '' : ` (${ready.reason}: ${ready.message})`}`
}
