/**
 * The hosts to publish in the DNS: those of deployed services. Used by the activity and by the watch that wakes its
 * run.
 */
import { viewOf } from '../../kinds/apps/view.ts'
import { type AutoHosts, claimsOf, hostKeys, hostTrouble } from '../../kinds/apps/hosts.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { reservedHosts, rootDomainOf } from '../../kinds/platform/address.ts'
import type { PublicHost } from '../../kinds/platform/dns-records.ts'
import { isConnected } from '../../kinds/platform/plan.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'

/** Each host with the service that owns it, the oldest service first; a service that is being deleted has none. */
export function publishedHosts(apps: readonly App[], config: PlatformConfig | undefined): PublicHost[] {
  const deployed = apps
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .flatMap((app) => {
      const spec = viewOf(app).effectiveSpec
      return spec === undefined ? [] : [{ ...app, spec }]
    })
    .toSorted((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1))
  const index = Map.groupBy(
    deployed.flatMap((app) => hostKeys(app).map((key) => ({ key, app }))),
    ({ key }) => key,
  )
  const services = { by: (_: 'host', key: string) => (index.get(key) ?? []).map(({ app }) => app) }
  const rules = { auto: coming(config), reserved: reservedHosts(config?.spec), services }
  return deployed.flatMap((app) =>
    claimsOf(app, rules.auto)
      .filter((host) => hostTrouble(host, app, rules, app) === undefined)
      .map((host) => ({ host, owner: app.metadata.uid ?? '' })),
  )
}

/** The domain of generated hosts, also before the provider is ready: DNS records are created before the hosts. */
function coming(config: PlatformConfig | undefined): AutoHosts | undefined {
  const root = isConnected(config) ? rootDomainOf(config.spec) : undefined
  return root === undefined ? undefined : { domain: root }
}

const ageOf = ({ metadata: { creationTimestamp = '', name } }: App): string => `${creationTimestamp} ${name}`
