/** The domain of the platform and the address of its dashboard. */
import { dashboardUrlOf, rootDomainOf } from '../../kinds/platform/address.ts'
import { checkedOf } from '../../kinds/platform/conditions.ts'
import { clearDomain, saveDomain } from '../../records/settings/domain.ts'
import type { Handler } from '../context/handler.ts'
import { askedBy } from '../context/wakes.ts'
import type { Needs } from '../context/needs.ts'
import { withVersion } from '../views/record-version.ts'
import { configOf, wakePlatform } from './platform-config.ts'

/** `GET /api/settings/domain`: the domain in use, and the result of its last check. */
export const domain =
  ({ caches }: Needs): Handler<'settings.domain'> =>
  async () => {
    const config = configOf(caches)
    const rootDomain = rootDomainOf(config?.spec) ?? ''
    const dashboardURL = dashboardUrlOf(config?.spec) ?? ''
    const configured = rootDomain !== '' || dashboardURL !== ''
    const checked = checkedOf(config, 'DashboardDomainReady', configured, {
      reason: 'NoDomain',
      message: 'no root domain is set',
    })
    const view = {
      rootDomain,
      dashboardURL,
      dashboardExposure: config?.spec.dashboardExposure ?? 'ingress',
      configured,
      ...checked,
    }
    return withVersion(view, config)
  }

/** `POST /api/settings/domain/save`: root domain, address of the dashboard and how it is reached. */
export const domainSave =
  (needs: Needs): Handler<'settings.domain-save'> =>
  async (call) => {
    const { params, ifMatch } = call
    await saveDomain(needs.writes, params, ifMatch, askedBy(call).actor)
    wakePlatform(needs, 'domain saved', call)
    return { ok: true }
  }

/** `POST /api/settings/domain/clear`: clears the domain. */
export const domainClear =
  (needs: Needs): Handler<'settings.domain-clear'> =>
  async (call) => {
    const { ifMatch } = call
    await clearDomain(needs.writes, ifMatch, askedBy(call).actor)
    wakePlatform(needs, 'domain cleared', call)
    return { ok: true }
  }
