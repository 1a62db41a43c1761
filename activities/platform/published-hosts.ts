/** The hosts that are to be found in the DNS: those of deployed services; shared by the story and by the watch that opens it. */

import { type AutoHosts, hostOf } from '../../kinds/apps/address.ts'
import { effectiveSpec } from '../../kinds/apps/effective-spec.ts'
import { hostsOf } from '../../kinds/apps/hosts.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { rootDomainOf } from '../../kinds/platform/address.ts'
import type { PublicHost } from '../../kinds/platform/dns-records.ts'
import { isConnected } from '../../kinds/platform/plan.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'

/** Oldest service first, since a host belongs to the oldest that asks for it; a service being deleted asks for none. */
export function publishedHosts(apps: readonly App[], config: PlatformConfig | undefined): PublicHost[] {
  const auto = coming(config)
  return apps
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1))
    .flatMap((app) => {
      const spec = effectiveSpec(app)
      if (spec === undefined) return []
      const hosts = new Set([hostOf(app.metadata.name, spec, auto), ...hostsOf(spec)])
      return [...hosts].filter((host) => host !== '').map((host) => ({ host, owner: app.metadata.uid ?? '' }))
    })
}

/** Where services get hosts once the provider is ready: their records come before they do. */
function coming(config: PlatformConfig | undefined): AutoHosts | undefined {
  const root = isConnected(config) ? rootDomainOf(config.spec) : undefined
  return root === undefined ? undefined : { domain: root }
}

const ageOf = ({ metadata: { creationTimestamp = '', name } }: App): string => `${creationTimestamp} ${name}`
