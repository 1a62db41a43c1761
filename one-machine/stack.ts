/**
 * The servers under svc on one machine: a cluster with svc's definitions, and Temporal. For `npm start` and for tests.
 */
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { claimCluster, withCluster } from './cluster.ts'
import { installInto } from './install.ts'
import type { RunningNode } from './node/start.ts'
import type { ServerName } from './servers/catalogue.ts'
import { resolveServers } from './servers/resolve.ts'
import { serverNames } from './simulated/servers.ts'
import { startSimulatedCluster, type SimulatedCluster } from './simulated/start.ts'
import {
  ensureNamespace,
  readNamespaceId,
  startTemporal,
  temporalNamespace,
  type TemporalServer,
} from './temporal-server.ts'
import { defined } from '../contract/defined.ts'

export interface StackOptions {
  /**
   * node: a real Kubernetes node in its own namespaces; simulated: pods run no processes; kubeconfig: a cluster of the
   * user's.
   */
  readonly cluster: 'node' | 'simulated' | 'kubeconfig'
  /**
   * Contains `<cluster>/`, one folder per kind of cluster, since Temporal's state belongs to the records of one
   * cluster.
   */
  readonly dataDir: string
  /** Path, for a user's cluster; default: kubectl's rules. */
  readonly kubeconfig?: string
  /** host:port of a user's Temporal server; then none is started. */
  readonly temporal?: string
  /** Works on a user's cluster although another Temporal is written down there. */
  readonly takeOver?: boolean
  /** Simulated nodes, default 2. */
  readonly nodes?: number
  /** Simulated cluster only: a file that gets one JSON line per write request. */
  readonly auditLog?: string
  /** Notes reads there, too; watches never. */
  readonly auditReads?: boolean
  /** Simulated cluster only: commands in containers run on this machine. */
  readonly exec?: boolean
  /** Restarts servers that exited by themselves. */
  readonly keepAlive?: boolean
  /** False also serves Temporal's web interface. */
  readonly headless?: boolean
  /** Keeps compiled packages, for servers that are made while the stack runs. */
  readonly keepBuilds?: boolean
  /** Called when every server is on this machine, before the first one starts. */
  readonly onResolved?: () => void
  /**
   * Called as soon as a part has begun that leaves traces on the machine; its argument stops it even before it runs.
   */
  readonly onBegin?: (stop: () => Promise<void>) => void
  /** Called once for each running part, so that a caller can stop running parts while others still start. */
  readonly onStarted?: (part: StackPart, stop: () => Promise<void>) => void
  /** Receives one line per step, and the part it belongs to. */
  readonly progress?: (line: string, part: StackPart) => void
}

export type StackPart = 'servers' | 'cluster' | 'Temporal'

export interface Stack {
  /** Undefined when kubectl's rules find the cluster. */
  readonly kubeconfig?: string
  readonly temporalAddress: string
  readonly temporalNamespace: string
  readonly temporalUiAddress?: string
  /** The parts that this stack started, for tests that kill and restart them. */
  readonly simulated?: SimulatedCluster
  readonly node?: RunningNode
  readonly temporal?: TemporalServer
  /** Stops Temporal, then the cluster; state stays in the data directory. */
  stop(): Promise<void>
}

type Cluster = Pick<Stack, 'kubeconfig' | 'simulated' | 'node'> & { stop(): Promise<void> }
type Temporal = Pick<Stack, 'temporalAddress' | 'temporalUiAddress' | 'temporal'> & { stop(): Promise<void> }

const noStop = async (): Promise<void> => undefined

async function startCluster(options: StackOptions, folder: string): Promise<Cluster> {
  const { cluster, nodes, auditLog, auditReads, exec, kubeconfig, keepAlive } = options
  const progress = (line: string): void => options.progress?.(line, 'cluster')
  if (cluster === 'kubeconfig') return { ...defined({ kubeconfig }), stop: noStop }
  if (cluster === 'node') {
    // Imported on demand: simulated clusters and their tests do not need the node's programs.
    const { startNode } = await import('./node/start.ts')
    const node = await startNode({
      dataDir: folder,
      progress,
      ...defined({ onBegin: options.onBegin }),
    })
    return { kubeconfig: node.kubeconfig, node, stop: () => node.stop({ keepState: true }) }
  }
  const simulated = await startSimulatedCluster({
    dataDir: join(folder, 'cluster'),
    keepAlive: keepAlive ?? false,
    progress,
    ...defined({ nodes, auditLog, auditReads, exec }),
  })
  return { kubeconfig: simulated.kubeconfig, simulated, stop: () => simulated.stop() }
}

/** The worker's settings for servers that require credentials; this floor has no such connection. */
function needsCredentials(env: NodeJS.ProcessEnv): boolean {
  return ['SVC_TEMPORAL_API_KEY', 'SVC_TEMPORAL_TLS_CA', 'SVC_TEMPORAL_TLS_CERT'].some(
    (name) => env[name] !== undefined,
  )
}

async function startOrUseTemporal(options: StackOptions, folder: string): Promise<Temporal> {
  if (options.temporal !== undefined) {
    if (!needsCredentials(process.env)) await ensureNamespace(options.temporal)
    return { temporalAddress: options.temporal, stop: noStop }
  }
  const temporal = await startTemporal({
    dataDir: join(folder, 'temporal'),
    headless: options.headless ?? true,
    keepAlive: options.keepAlive ?? false,
    progress: (line) => options.progress?.(line, 'Temporal'),
  })
  const { address, uiAddress } = temporal
  return {
    temporalAddress: address,
    ...defined({ temporalUiAddress: uiAddress }),
    temporal,
    stop: () => temporal.stop(),
  }
}

/**
 * The servers of a stack with this kind of cluster. All are resolved in one call, since they share compiled packages.
 */
export async function serversOf({
  cluster,
  temporal,
}: Pick<StackOptions, 'cluster' | 'temporal'>): Promise<ServerName[]> {
  const names: ServerName[] = temporal === undefined ? ['temporal'] : []
  if (cluster === 'simulated') names.push(...serverNames)
  if (cluster === 'node') names.push(...(await import('./node/commands.ts')).NODE_PROGRAMS)
  return names
}

/** A cluster that a start made itself, or that it was asked to take over. */
const ownsCluster = ({ cluster, takeOver }: StackOptions): boolean => cluster !== 'kubeconfig' || takeOver === true

/**
 * Writes down whose cluster it is. With credentials there is no connection to ask Temporal with, so nothing is claimed.
 */
async function claim(options: StackOptions, kubeconfig: string | undefined, address: string): Promise<void> {
  if (options.temporal !== undefined && needsCredentials(process.env)) return
  const place = options.temporal ?? `${resolve(options.dataDir)} on ${hostname()}`
  const owner = { id: await readNamespaceId(address), place }
  await withCluster(kubeconfig, (client) => claimCluster(client, owner, ownsCluster(options)))
}

/** Starts one part and hands out its stop function, whether or not the other part succeeds. */
async function starting<Part extends { stop(): Promise<void> }>(
  name: StackPart,
  part: Promise<Part>,
  options: StackOptions,
): Promise<Part> {
  const started = await part
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => (stopping ??= started.stop()) // the caller and a failing start may both stop it
  options.onStarted?.(name, stop)
  return { ...started, stop }
}

/**
 * Brings up cluster and Temporal in parallel, then svc's definitions and namespace. Rejects with one sentence; the
 * parts that had started are stopped again.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const folder = join(resolve(options.dataDir), options.cluster)
  await resolveServers(await serversOf(options), {
    progress: (line) => options.progress?.(line, 'servers'),
    keepBuilds: options.keepBuilds ?? false,
  })
  options.onResolved?.()
  const cluster = starting('cluster', startCluster(options, folder), options)
  const temporal = starting('Temporal', startOrUseTemporal(options, folder), options)
  // It may reject long before it is awaited below, which Node would report as an unhandled rejection.
  temporal.catch(() => undefined)
  try {
    const { stop: stopCluster, ...clusterParts } = await cluster
    const install = (): Promise<void> => withCluster(clusterParts.kubeconfig, installInto)
    const free = ownsCluster(options)
    if (free) await install() // while Temporal starts; a user's cluster is left alone until it is known to be free
    const { stop: stopTemporal, ...temporalParts } = await temporal
    await claim(options, clusterParts.kubeconfig, temporalParts.temporalAddress)
    if (!free) await install()
    const stop = async (): Promise<void> => {
      await stopTemporal()
      await stopCluster()
    }
    return { ...clusterParts, ...temporalParts, temporalNamespace, stop }
  } catch (error) {
    const parts = await Promise.allSettled([temporal, cluster])
    for (const part of parts) if (part.status === 'fulfilled') await part.value.stop()
    throw error
  }
}
