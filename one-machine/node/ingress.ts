/** The node's ingress: Traefik as a process of this machine, on loopback, since pods are reachable from here. */
import { dirname, join } from 'node:path'
import { seriesRead, type Target } from '../metrics/scrape.ts'
import { freePort, loopback } from '../processes/ports.ts'
import { createSupervisor, stopLeftovers } from '../processes/supervisor.ts'
import { judgeCached, locateCache, locateServer } from '../servers/cache.ts'
import { catalogue } from '../servers/catalogue.ts'
import { findInEnvironment, findOnPath } from '../servers/find.ts'
import { resolveServer } from '../servers/resolve.ts'
import { applyAddons } from './addons.ts'
import { kubeconfigPath } from './certificates.ts'

const USUAL_PORT = 8088
const READY_WITHIN_MS = 20_000

export interface IngressOptions {
  dataDir: string
  /** Path of an administrator's kubeconfig; the ingress's own is beside it. */
  kubeconfig: string
  progress: (line: string) => void
}

/** The ingress that a node has now or, while this machine lacks Traefik, can have. */
export interface Ingress {
  /**
   * `http://127.0.0.1:PORT`; undefined before its start. It serves every Ingress of class `traefik` by its host;
   * browsers and curl resolve names that end in `.localhost` to it without DNS.
   */
  address(): string | undefined
  /** Where it counts requests, once it runs. */
  target: Target
  /**
   * Resolves with the address; makes Traefik first where this machine lacks it, which takes minutes. Rejects with one
   * sentence.
   */
  make(report: (line: string) => void): Promise<string>
  stop(): Promise<void>
}

/** Traefik where this machine has it already. It is among the slowest servers to build, so no start waits for it. */
export function findTraefik(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const server = catalogue['traefik']
  if (server === undefined) return undefined
  const cached = locateServer(locateCache(env), 'traefik', server.version)
  return (
    findInEnvironment('traefik', env) ??
    findOnPath('traefik', server, env) ??
    (judgeCached(cached, server) === 'whole' ? cached : undefined)
  )
}

/** Starts the ingress if this machine has Traefik. The node also runs without it: failures are only reported. */
export async function createIngress(options: IngressOptions): Promise<Ingress> {
  const metrics = `${loopback}:${await freePort()}`
  let starting: Promise<{ address: string; stop(): Promise<void> }> | undefined
  let address: string | undefined
  let stopped = false
  const start = async (traefik: string): Promise<string> => {
    if (stopped) throw new Error('the node was stopped before its ingress started')
    starting ??= startTraefik(options, traefik, metrics)
    try {
      return (address = (await starting).address)
    } catch (cause) {
      starting = undefined // the next caller tries again
      throw new Error(`the ingress did not start: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    }
  }
  const traefik = findTraefik()
  if (traefik !== undefined) await start(traefik).catch((error: Error) => options.progress(error.message))
  return {
    address: () => address,
    target: { job: 'ingress', url: `http://${metrics}/metrics`, series: seriesRead.traefik },
    make: async (report) => address ?? start(await resolveServer('traefik', { progress: report, keepBuilds: true })),
    async stop() {
      stopped = true
      await (await starting?.catch(() => undefined))?.stop()
    },
  }
}

/** With its own login that may read routes and the secrets of their certificates; restarted after a crash. */
async function startTraefik(
  { dataDir, kubeconfig }: IngressOptions,
  traefik: string,
  metrics: string,
): Promise<{ address: string; stop(): Promise<void> }> {
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
      '--entrypoints.web.transport.respondingtimeouts.readtimeout=0', // its usual 60 s would cut longer uploads
      '--metrics.prometheus',
      `--entrypoints.traefik.address=${metrics}`, // its own entry point, which no Ingress is served at
      '--providers.kubernetesingress',
      '--providers.kubernetesingress.ingressclass=traefik',
      `--providers.kubernetesingress.ingressendpoint.ip=${loopback}`,
      '--providers.kubernetesingress.allowexternalnameservices', // by these it leads to what wakes services
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
