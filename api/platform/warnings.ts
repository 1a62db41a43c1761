/** The warnings of the overview (docs/reference/platform.md#warnings). */
import { canMutate } from '../../contract/caller.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { dashboardUrlOf, rootDomainOf } from '../../kinds/platform/address.ts'
import { checkedOf } from '../../kinds/platform/conditions.ts'
import { platformWarnings } from '../../kinds/platform/warnings.ts'
import { freeCapacity } from '../context/free-capacity.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

const unset = { reason: 'NotConnected', message: '' } as const

/** `GET /api/platform/warnings`: from the caches alone. */
export const warnings =
  ({ caches }: Needs): Handler<'platform.warnings'> =>
  async ({ caller }) => {
    const config = caches.platformConfig.list()[0]
    const readiness = caches.haReadiness.list()[0]?.status
    const hasDomain = rootDomainOf(config?.spec) !== undefined || dashboardUrlOf(config?.spec) !== undefined
    const hasProvider = config?.spec.cloudflareConnectionRef !== undefined
    const domain = checkedOf(config, 'DashboardDomainReady', hasDomain, { reason: 'NoDomain', message: '' })
    const seen = {
      highAvailability:
        readiness?.ready === undefined
          ? undefined
          : { ready: readiness.ready, message: readyOf(readiness.conditions)?.message ?? 'Not highly available' },
      domain: { configured: hasDomain, ...domain },
      dnsProvider: { configured: hasProvider, ...checkedOf(config, 'CloudflareReady', hasProvider, unset) },
      capacity: freeCapacity(caches),
    }
    return { items: platformWarnings(seen, canMutate(caller)) }
  }
