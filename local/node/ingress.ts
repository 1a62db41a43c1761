/** The node's ingress: Traefik as a process of this machine, on loopback, since pods can be reached from here. */
import { dirname, join } from 'node:path'
import { freePort, loopback } from '../ports.ts'
import { createSupervisor, stopLeftovers } from '../processes.ts'
import { judgeCached, locateCache, locateServer } from '../servers/cache.ts'
import { catalogue } from '../servers/catalogue.ts'
import { findInEnvironment, findOnPath } from '../servers/find.ts'
import { applyAddons } from './addons.ts'
import { kubeconfigPath } from './certificates.ts'
import type { RunningNode } from './start.ts'

const USUAL_PORT = 8088
const READY_WITHIN_MS = 20_000

export interface IngressOptions {
  dataDir: string
  node: Pick<RunningNode, 'kubeconfig'>
  /** Path of Traefik's executable: from `findIngress`, or from `resolveServer('traefik')`, which may build for minutes. */
  traefik: string
  /** 8088 when that is free, else any. */
  port?: number
}

export interface RunningIngress {
  /** Serves every Ingress of class `traefik`, by its host; names ending in `.localhost` lead here without any DNS. */
  address: string
  port: number
  pid: number
  stop(): Promise<void>
}

/** Traefik where it is on this machine already. It is the slowest server to build, so nothing waits for it. */
export function findIngress(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const server = catalogue['traefik']
  if (server === undefined) return undefined
  const cached = locateServer(locateCache(env), 'traefik', server.version)
  return findInEnvironment('traefik', env) ?? findOnPath('traefik', server, env) ?? (judgeCached(cached, server) === 'whole' ? cached : undefined)
}

/** The address at which a browser on this machine finds a host of an Ingress. */
export function urlOfHost(ingress: Pick<RunningIngress, 'port'>, host: string): string {
  return `http://${host}:${ingress.port}`
}

/** Starts the ingress with a login of its own that may read routes and nothing else; restarted should it crash. */
export async function startIngress({ dataDir, node, traefik, port: wanted }: IngressOptions): Promise<RunningIngress> {
  await applyAddons(node.kubeconfig, 'ingress.yaml', {})
  const port = await freePort(wanted ?? USUAL_PORT)
  const runFile = join(dataDir, 'ingress/run.json')
  await stopLeftovers(runFile)
  const supervisor = createSupervisor(runFile)
  const pid = await supervisor.start({
    name: 'traefik',
    command: traefik,
    args: [
      '--global.checknewversion=false', '--global.sendanonymoususage=false',
      `--entrypoints.web.address=${loopback}:${port}`,
      '--providers.kubernetesingress', '--providers.kubernetesingress.ingressclass=traefik',
      `--providers.kubernetesingress.ingressendpoint.ip=${loopback}`,
      '--providers.kubernetesingress.allowemptyservices', // a service without pods answers 503 instead of 404
      '--providers.providersthrottleduration=100ms', // its usual 2 s would lag behind a rolling update
    ],
    env: { KUBECONFIG: kubeconfigPath(dirname(node.kubeconfig), 'ingress') },
    logFile: join(dataDir, 'ingress/traefik.log'),
    ready: () => fetch(`http://${loopback}:${port}/`, { signal: AbortSignal.timeout(1000) }).then(() => true, () => false),
    readyWithinMs: READY_WITHIN_MS,
    keepAlive: true,
  })
  return { address: `http://${loopback}:${port}`, port, pid, stop: () => supervisor.stop() }
}
