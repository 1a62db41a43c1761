/** The tunnel of tunnel mode: created and configured at the provider, with its connector on the cluster. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { SettingReason } from '../../kinds/platform/conditions.ts'
import type { PublicHost } from '../../kinds/platform/dns-records.ts'
import { dataOf } from '../../cluster/objects/secret-data.ts'
import { tunnelObject } from '../../kinds/platform/settings.ts'
import { tokenKey, tunnelConnector, tunnelName, tunnelRules, tunnelSecret } from '../../kinds/platform/tunnel.ts'
import { type Account, type ProviderApi, ProviderFailure } from '../../outside/dns-provider/call.ts'
import {
  createTunnel,
  findTunnel,
  removeTunnel,
  setTunnelRules,
  tunnelRules as rulesAt,
  tunnelToken,
} from '../../outside/dns-provider/tunnels.ts'
import { applyOwn, removeOwn, TakenName } from './own-objects.ts'
import type { PlatformNeeds } from './needs.ts'

export interface TunnelWanted {
  account: Account
  install: string
  dashboardHost: string
  hosts: readonly PublicHost[]
}

export type TunnelReason = Extract<SettingReason<'CloudflareReady'>, `Tunnel${string}`>

/** Which part of the tunnel failed; the cause is the provider's failure, or a sentence of svc's own. */
export class TunnelFailure extends Error {
  readonly reason: TunnelReason

  constructor(reason: TunnelReason, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.name = 'TunnelFailure'
    this.reason = reason
  }
}

/**
 * Finds or creates the tunnel; resolves with its id. It is found by its name, so a creation whose answer was lost is
 * not repeated. Throws TunnelFailure.
 */
export async function applyTunnel(needs: PlatformNeeds, api: ProviderApi, wanted: TunnelWanted): Promise<string> {
  const { account, install, dashboardHost, hosts } = wanted
  const { accountId } = account
  const { dashboardService, ingressService } = needs.exposure
  const { id } = await part(
    'TunnelError',
    async () =>
      (await findTunnel(api, accountId, tunnelName(install))) ?? createTunnel(api, accountId, tunnelName(install)),
  )
  // The token is read and stored within this activity, so that it is in no history, status or message.
  const secret = await part('TunnelTokenError', async () =>
    applyOwn(
      needs,
      coreTypes.secret,
      tunnelSecret(install, dataOf({ [tokenKey]: await tunnelToken(api, accountId, id) })),
      install,
    ),
  )
  await part('TunnelConfigError', async () => {
    if (dashboardService === undefined)
      throw new TunnelFailure(
        'TunnelConfigError',
        'SVC_DASHBOARD_SERVICE names no Service that the tunnel could lead to',
      )
    const inside = ({ name, namespace }: { name: string; namespace: string }, port: number) =>
      `http://${name}.${namespace}.svc:${port}`
    const dashboard = {
      host: dashboardHost,
      service: inside({ name: dashboardService.name, namespace: systemNamespace }, dashboardService.port),
    }
    const names = hosts.map(({ host }) => host)
    const rules = tunnelRules(dashboard, names, inside(ingressService, 80))
    if (canonical(await rulesAt(api, accountId, id)) !== canonical(rules))
      await setTunnelRules(api, accountId, id, rules)
  })
  const version = secret.metadata.resourceVersion ?? ''
  await part('TunnelError', () =>
    applyOwn(needs, coreTypes.deployment, tunnelConnector(install, needs.exposure.tunnelImage, version), install),
  )
  return id
}

/** A sentence while no copy of the connector is available; undefined once one is. */
export async function awaitConnector({ client }: PlatformNeeds): Promise<string | undefined> {
  type Connector = KubeObject & { status?: { availableReplicas?: number } }
  const live = await client.get<Connector>({
    type: coreTypes.deployment,
    namespace: systemNamespace,
    name: tunnelObject,
  })
  return (live?.status?.availableReplicas ?? 0) > 0 ? undefined : 'waiting for the connector of the tunnel to come up'
}

/** Removes the connector and the tunnel; one that is gone already counts as removed. Throws ProviderFailure. */
export async function clearTunnel(
  needs: PlatformNeeds,
  api: ProviderApi,
  accountId: string,
  install: string,
): Promise<void> {
  await removeConnector(needs, install)
  const tunnel = await findTunnel(api, accountId, tunnelName(install))
  if (tunnel !== undefined) await removeTunnel(api, accountId, tunnel.id)
}

export async function removeConnector(needs: PlatformNeeds, install: string): Promise<void> {
  await removeOwn(needs, coreTypes.deployment, tunnelObject, install)
  await removeOwn(needs, coreTypes.secret, tunnelObject, install)
}

async function part<T>(reason: TunnelReason, make: () => Promise<T>): Promise<T> {
  try {
    return await make()
  } catch (error) {
    if (error instanceof ProviderFailure || error instanceof TakenName) throw new TunnelFailure(reason, error)
    throw error
  }
}
