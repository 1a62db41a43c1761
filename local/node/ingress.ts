/** The node's ingress: Traefik as a process of this machine, on loopback, since pods can be reached from here. */
import { dirname, join } from 'node:path'
import { freePort, loopback } from '../ports.ts'
import { createSupervisor, stopLeftovers } from '../processes.ts'
import { judgeCached, locateCache, locateServer } from '../servers/cache.ts'
import { catalogue } from '../servers/catalogue.ts'
import { findInEnvironment, findOnPath } from '../servers/find.ts'
import { applyAddons } from './addons.ts'
import { kubeconfigPath } from './certificates.ts'

const USUAL_PORT = 8088
const READY_WITHIN_MS = 20_000
const LOOK_AGAIN_MS = 30_000

export interface IngressOptions {
  dataDir: string
  /** Path of an administrator's kubeconfig; the ingress's own lies beside it. */
  kubeconfig: string
  progress: (line: string) => void
}

/** The ingress that a node has now or, while Traefik is not on this machine, will have once it is. */
export interface Ingress {
  /**
   * `http://127.0.0.1:PORT`, or undefined as yet. It serves every Ingress of class `traefik` by its host; browsers and curl
   * find names that end in `.localhost` there without any DNS.
   */
  address(): string | undefined
  stop(): Promise<void>
}

/** Traefik where it is on this machine already. It is the slowest server to build, so nothing waits for it. */
export function findTraefik(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const server = catalogue['traefik']
  if (server === undefined) return undefined
  const cached = locateServer(locateCache(env), 'traefik', server.version)
  return findInEnvironment('traefik', env) ?? findOnPath('traefik', server, env) ?? (judgeCached(cached, server) === 'whole' ? cached : undefined)
}

/** Starts the ingress if Traefik is here, else looks again every 30 s. A node without an ingress is still a node: trouble is only told. */
export async function keepIngress(options: IngressOptions): Promise<Ingress> {
  let running: { address: string; stop(): Promise<void> } | undefined
  let starting: Promise<void> | undefined
  const look = (): Promise<void> | undefined => {
    const traefik = findTraefik()
    if (traefik === undefined) return undefined
    clearInterval(timer)
    return (starting ??= startTraefik(options, traefik).then(
      (started) => void (running = started),
      (error: unknown) => options.progress(`the ingress did not start: ${String(error)}`),
    ))
  }
  const timer = setInterval(() => void look(), LOOK_AGAIN_MS).unref()
  await look()
  return {
    address: () => running?.address,
    stop: async () => {
      clearInterval(timer)
      await starting
      await running?.stop()
    },
  }
}

/** With a login of its own that may read routes and the secrets of their certificates; restarted should it crash. */
async function startTraefik({ dataDir, kubeconfig }: IngressOptions, traefik: string): Promise<{ address: string; stop(): Promise<void> }> {
  await applyAddons(kubeconfig, 'ingress.yaml', {})
  const address = `${loopback}:${await freePort(USUAL_PORT)}`
  const runFile = join(dataDir, 'ingress/run.json')
  await stopLeftovers(runFile)
  const supervisor = createSupervisor(runFile)
  await supervisor.start({
    name: 'traefik',
    command: traefik,
    args: [
      '--global.checknewversion=false',
      '--global.sendanonymoususage=false',
      `--entrypoints.web.address=${address}`,
      '--providers.kubernetesingress',
      '--providers.kubernetesingress.ingressclass=traefik',
      `--providers.kubernetesingress.ingressendpoint.ip=${loopback}`,
      '--providers.kubernetesingress.allowemptyservices', // a service without pods answers 503 instead of 404
      '--providers.providersthrottleduration=100ms', // its usual 2 s would lag behind a rolling update
    ],
    env: { KUBECONFIG: kubeconfigPath(dirname(kubeconfig), 'ingress') },
    logFile: join(dataDir, 'ingress/traefik.log'),
    ready: () =>
      fetch(`http://${address}/`, { signal: AbortSignal.timeout(1000) }).then(
        () => true,
        () => false,
      ),
    readyWithinMs: READY_WITHIN_MS,
    keepAlive: true,
  })
  return { address: `http://${address}`, stop: () => supervisor.stop() }
}
