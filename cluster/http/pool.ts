/** Keep-alive connections to the API server; client-node 2.0.1 would open a new one for each request. */
import { Agent, ProxyAgent, Socks5ProxyAgent, type Dispatcher } from 'undici'
import type { Reading } from './kubeconfig.ts'

/** Calls beyond this many at once wait for a free connection; a call takes a few milliseconds. */
export const callConnections = 16
const connectTimeoutMs = 5_000
/** Below the idle limit of the API server (90 s): this side closes first, so that no request meets a closing socket. */
const idleSocketMs = 30_000
/** Load balancers drop silent connections after about 60 s. */
const tcpKeepAliveMs = 30_000

/** `connections` null: no limit, one per stream. */
export function openPool({ proxy, tls }: Reading, connections: number | null): Dispatcher {
  const connect = { ...tls, timeout: connectTimeoutMs, keepAlive: true, keepAliveInitialDelay: tcpKeepAliveMs }
  // HTTP/1.1: a connection reset affects one stream and not all of them.
  const options = { connections, allowH2: false, keepAliveTimeout: idleSocketMs, keepAliveMaxTimeout: idleSocketMs }
  if (proxy === undefined || proxy === '') return new Agent({ ...options, connect })
  // node:tls takes more forms of the same options than undici's own type names.
  const requestTls = connect as NonNullable<ProxyAgent.Options['requestTls']>
  if (proxy.startsWith('socks')) return new Socks5ProxyAgent(proxy, { ...options, requestTls })
  return new ProxyAgent({ ...options, uri: proxy, requestTls })
}
