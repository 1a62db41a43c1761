/**
 * The platform's domain in a kill run: a real name server, a TLS endpoint as its dashboard, and a stand-in for
 * Cloudflare behind a proxy that can be cut off.
 */
import { type CloudflareStandIn, startCloudflareStandIn } from '../harness/cloudflare-api.ts'
import { makeAuthority, startEndpoint } from '../harness/dashboard-endpoint.ts'
import { startDns } from '../harness/dns-server.ts'
import { startFaultProxy } from '../harness/fault-proxy.ts'
import { atEnd } from '../harness/stack.ts'

export interface Domain {
  /** Environment of the workers. */
  readonly env: Readonly<Record<string, string>>
  readonly root: string
  /** The dashboard's address, at the endpoint. */
  readonly url: string
  readonly provider: CloudflareStandIn
  /** Cuts every connection to the provider off; the returned function restores it. */
  cut(): () => void
}

/** The Service that stands for the dashboard in the cluster. */
export const dashboardService = 'svc-dashboard-kill'
const root = 'kill.test'
const own = 'svc'
const slowMs = 5_000

export async function startDomain(): Promise<Domain> {
  const [dns, authority, provider] = await Promise.all([startDns(root), makeAuthority(), startCloudflareStandIn()])
  const endpoint = await startEndpoint(await authority.issue(`${own}.${root}`))
  atEnd(async () => void (await Promise.all([dns.stop(), endpoint.stop(), provider.stop(), authority.forget()])))
  const proxy = await startFaultProxy(provider.url, slowMs)
  await dns.serve([`${own} A 127.0.0.1`])
  return {
    env: {
      SVC_DNS_SERVERS: dns.server,
      NODE_EXTRA_CA_CERTS: authority.file,
      SVC_PUBLIC_ADDRESSES: '127.0.0.1',
      SVC_DASHBOARD_SERVICE: dashboardService,
      SVC_CLOUDFLARE_URL: proxy.url,
    },
    root,
    url: `https://${own}.${root}:${endpoint.port}`,
    provider,
    cut: proxy.cut,
  }
}
