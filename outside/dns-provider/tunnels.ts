/** Tunnels at the provider: one for each install, identified by its name. */
import { type ProviderApi, ProviderFailure } from './call.ts'

export interface Tunnel {
  id: string
  name: string
}

/** One rule of a tunnel: the target of a host's requests. The last rule has no host and matches all others. */
export interface TunnelRule {
  hostname?: string
  service: string
}

interface Configuration {
  config?: { ingress?: readonly TunnelRule[] } | null
}

export async function findTunnel(api: ProviderApi, account: string, name: string): Promise<Tunnel | undefined> {
  const search = new URLSearchParams({ name, is_deleted: 'false' })
  const { result } = await api.call<readonly Tunnel[]>('GET', `${tunnelsPath(account)}?${search.toString()}`)
  return result.find((tunnel) => tunnel.name === name)
}

/** Configured at the provider (`config_src`), so that the connector only needs its token. */
export async function createTunnel(api: ProviderApi, account: string, name: string): Promise<Tunnel> {
  return (await api.call<Tunnel>('POST', tunnelsPath(account), { name, config_src: 'cloudflare' })).result
}

/** The token of connectors: a secret. */
export async function tunnelToken(api: ProviderApi, account: string, id: string): Promise<string> {
  return (await api.call<string>('GET', `${tunnelPath(account, id)}/token`)).result
}

export async function tunnelRules(api: ProviderApi, account: string, id: string): Promise<readonly TunnelRule[]> {
  return (
    (await api.call<Configuration | null>('GET', `${tunnelPath(account, id)}/configurations`)).result?.config
      ?.ingress ?? []
  )
}

export async function setTunnelRules(
  api: ProviderApi,
  account: string,
  id: string,
  ingress: readonly TunnelRule[],
): Promise<void> {
  await api.call('PUT', `${tunnelPath(account, id)}/configurations`, { config: { ingress } })
}

/** Removes connectors first: the provider keeps a tunnel that is in use. An absent tunnel counts as removed. */
export async function removeTunnel(api: ProviderApi, account: string, id: string): Promise<void> {
  try {
    await api.call('DELETE', `${tunnelPath(account, id)}/connections`)
    await api.call('DELETE', tunnelPath(account, id))
  } catch (error) {
    if (!(error instanceof ProviderFailure && error.kind === 'not-found')) throw error
  }
}

const tunnelsPath = (account: string): string => `/accounts/${encodeURIComponent(account)}/cfd_tunnel`
const tunnelPath = (account: string, id: string): string => `${tunnelsPath(account)}/${encodeURIComponent(id)}`
