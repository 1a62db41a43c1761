/** `GET /api/settings/domain`: the domain in force, and what the last check of it said. */
import { dashboardUrlOf, rootDomainOf } from '../../kinds/platform/address.ts'
import { checkedOf } from '../../kinds/platform/conditions.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { configOf } from './scope.ts'

export const domain =
  ({ caches }: Needs): Handler<'settings.domain'> =>
  async () => {
    const config = configOf(caches)
    const rootDomain = rootDomainOf(config?.spec) ?? ''
    const dashboardURL = dashboardUrlOf(config?.spec) ?? ''
    const configured = rootDomain !== '' || dashboardURL !== ''
    const checked = checkedOf(config, 'DashboardDomainReady', configured, { reason: 'NoDomain', message: 'no root domain is set' })
    return { rootDomain, dashboardURL, dashboardExposure: config?.spec.dashboardExposure ?? 'ingress', configured, ...checked }
  }
