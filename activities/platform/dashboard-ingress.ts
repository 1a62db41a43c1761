/** The Ingress of the dashboard in ingress mode; none in tunnel mode or without a domain. */
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { dashboardIngress, dashboardIngressName } from '../../kinds/platform/dashboard-ingress.ts'
import type { PlatformConfigSpec } from '../../kinds/platform/kind.ts'
import { applyOwn, installUid, removeOwn } from './own-objects.ts'
import type { PlatformNeeds } from './needs.ts'

/**
 * Applies or removes the Ingress; resolves with a sentence if the Service does not exist. Does nothing if the install
 * names no Service. Throws TakenName.
 */
export async function applyDashboardIngress(
  needs: PlatformNeeds,
  url: string | undefined,
  exposure: PlatformConfigSpec['dashboardExposure'],
): Promise<string | undefined> {
  const { dashboardService } = needs.exposure
  if (dashboardService === undefined) return undefined
  const { name } = dashboardService
  const service =
    url === undefined
      ? undefined
      : await needs.client.get({ type: coreTypes.service, namespace: systemNamespace, name })
  const install = await installUid(needs)
  if (url === undefined || exposure === 'cloudflare-tunnel')
    await removeOwn(needs, coreTypes.ingress, dashboardIngressName, install)
  if (url === undefined) return undefined
  if (service === undefined) return `the dashboard's Service ${name} was not found in ${systemNamespace}`
  if (exposure === 'cloudflare-tunnel') return undefined
  const { ingressClass, clusterIssuer } = needs.placement
  await applyOwn(
    needs,
    coreTypes.ingress,
    dashboardIngress(install, new URL(url).hostname, dashboardService, ingressClass, clusterIssuer),
    install,
  )
  return undefined
}
