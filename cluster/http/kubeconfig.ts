/** Reads a kubeconfig or the pod's service account, with exec plugins and token files, through client-node. */
import type { Agent } from 'node:http'
import type { RequestOptions } from 'node:https'
import { KubeConfig } from '@kubernetes/client-node'
import { defined } from '../../contract/defined.ts'

export interface CredentialSource {
  /** Path of a kubeconfig; else KUBECONFIG, ~/.kube/config, the pod's service account. */
  kubeconfig?: string
  context?: string
}

export type TlsOptions = Pick<
  RequestOptions,
  'ca' | 'cert' | 'key' | 'pfx' | 'passphrase' | 'servername' | 'rejectUnauthorized'
>

/** The parts of a configuration that a connection and a request need now. */
export interface Reading {
  server: string
  proxy: string | undefined
  /** The agent for the proxy, for connections by Node's own http. */
  proxyAgent: Agent | undefined
  tls: TlsOptions
  headers: Record<string, string>
}

/** The name that client-node gives to its fallback, http://localhost:8080, when it finds no configuration. */
const lastResort = 'loaded-context'

/** Throws a plain sentence when the file, the context or its cluster is missing. */
export function loadConfig({ kubeconfig, context }: CredentialSource): KubeConfig {
  const config = new KubeConfig()
  const from = kubeconfig ?? process.env['KUBECONFIG'] ?? 'the default kubeconfig'
  try {
    if (kubeconfig === undefined) config.loadFromDefault()
    else config.loadFromFile(kubeconfig)
  } catch (cause) {
    throw new Error(`cannot read ${from}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
  // A refused connection to localhost:8080 would hide the cause.
  if (config.getCurrentContext() === lastResort)
    throw new Error('no cluster is configured: set KUBECONFIG or create ~/.kube/config')
  if (context !== undefined) config.setCurrentContext(context)
  if (config.getCurrentCluster() === null)
    throw new Error(`${from} has no cluster for context "${config.getCurrentContext()}"`)
  // Plain http has no certificate to verify; client-node requires the setting.
  config.clusters = config.clusters.map((cluster) =>
    cluster.server.startsWith('http:') ? { ...cluster, skipTLSVerify: true } : cluster,
  )
  return config
}

/** Lets client-node run the exec plugin or read the token file when that is due. */
export async function readConfig(config: KubeConfig): Promise<Reading> {
  const cluster = config.getCurrentCluster()
  if (cluster === null) throw new Error(`the kubeconfig has no cluster for context "${config.getCurrentContext()}"`)
  const options: RequestOptions = {}
  await config.applyToHTTPSOptions(options)
  const headers: Record<string, string> = {}
  // Token files end with a line break, which no header may carry.
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = String(value).trim()
  if (options.auth) headers['authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`
  const proxy = cluster.proxyUrl === '' ? undefined : cluster.proxyUrl
  const proxyAgent = proxy !== undefined && typeof options.agent === 'object' ? options.agent : undefined
  return { server: cluster.server, proxy, proxyAgent, tls: tlsOf(options), headers }
}

function tlsOf({ ca, cert, key, pfx, passphrase, servername, rejectUnauthorized }: RequestOptions): TlsOptions {
  return defined({ ca, cert, key, pfx, passphrase, servername, rejectUnauthorized })
}
