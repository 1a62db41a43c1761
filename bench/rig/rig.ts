/**
 * What every bench measures on: servers of its own, an api and a worker as processes of their own, and an admin's
 * token.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Client } from '../../client/client.ts'
import {
  createLogStore,
  createMetricsStore,
  imageEnvironment,
  type LogStore,
  type MetricsStore,
  type Stack,
  startStack,
} from '../../one-machine/index.ts'
import {
  type ChildSpec,
  createSupervisor,
  freePort,
  mallocMemory,
  nodeMemory,
} from '../../one-machine/processes/index.ts'
import { signIn } from './sign-in.ts'
import { defined } from '../../contract/defined.ts'

export interface Rig {
  readonly stack: Stack & { readonly kubeconfig: string }
  readonly url: string
  readonly token: string
  /** Of the same admin's session, as a browser sends it: `name=value`. */
  readonly cookie: string
  readonly client: Client
  /** Audit lines of every request to the cluster so far, but watches; simulated cluster only. */
  readonly auditLog: string
  /** Address of Temporal's own metrics. */
  readonly temporalMetrics: string
  readonly folder: string
  apiPid(): number
  /** Resolves when the new one answers. */
  restartApi(): Promise<unknown>
  /** Every process of this rig, the servers of the simulated cluster included, by name. */
  pids(): Record<string, number>
  readonly workers: Workers
  /** Where the worker looks for the object server; nothing answers there until a bench starts one. */
  readonly objectServerPort: number
  /** Where the worker calls the functions of a simulated cluster; nothing answers there until a bench listens. */
  readonly functionPort: number
  /** The stores that the api reads; neither answers until a bench makes it. */
  readonly stores: Stores
  /** Runs when the rig stops, before its servers do. */
  atEnd(stop: () => Promise<unknown>): void
  stop(): Promise<void>
}

export interface Workers {
  /** Starts one more; resolves with its name when it takes work. */
  start(): Promise<string>
  kill(name: string): void
  pid(name: string): number
  /** Names of those that run. */
  names(): string[]
}

export interface Stores {
  readonly metrics: MetricsStore
  readonly logs: LogStore
}

const root = join(import.meta.dirname, '../..')
const workerReadyLine = '"the worker is ready"'
const readyWithinMs = 120_000

/** `nodes`: how many a simulated cluster has. Stops what it started when it cannot be completed. */
export async function startRig(
  cluster: 'simulated' | 'node',
  nodes: number,
  say: (line: string) => void,
): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  const stop = async (): Promise<void> => {
    for (const stopOne of stops.toReversed()) await stopOne()
  }
  try {
    const auditLog = join(folder, 'audit.log')
    const stack = await startStack({
      cluster,
      dataDir: folder,
      auditLog,
      auditReads: true,
      nodes,
      progress: say,
      onStarted: (_part, stopPart) => stops.push(stopPart),
    })
    const { kubeconfig } = stack
    if (kubeconfig === undefined) throw new Error('the bench needs a cluster of its own')
    const supervisor = createSupervisor(join(folder, 'run.json'))
    stops.push(() => supervisor.stop('together'))
    const [port, objectServerPort, functionPort] = [await freePort(), await freePort(), await freePort()]
    const url = `http://127.0.0.1:${port}`
    const stores = await createStores(folder)
    stops.push(() => Promise.all([stores.metrics.stop(), stores.logs.stop()]))
    const password = randomBytes(12).toString('base64url')
    const environment = environmentOf(stack, kubeconfig, stores, { port, objectServerPort, functionPort })
    const child = childIn(folder)
    const workers = workersOf(supervisor, (name) =>
      child(name, 'temporal/main.ts', environment, async () => hasLine(join(folder, `${name}.log`), workerReadyLine)),
    )
    const users = JSON.stringify([{ username: 'admin', password, role: 'admin' }])
    await Promise.all([
      supervisor.start(child('api', 'api/main.ts', { ...environment, SVC_DASHBOARD_USERS: users }, () => serves(url))),
      workers.start(),
    ])
    const { token, cookie } = await signIn(url, 'admin', password)
    const metricsPort = await temporalMetricsPort(join(folder, cluster))
    return {
      stack: { ...stack, kubeconfig },
      url,
      token,
      cookie,
      client: createClient({ baseUrl: url, token, userAgent: 'svc-bench' }),
      auditLog,
      temporalMetrics: `http://127.0.0.1:${metricsPort}/metrics`,
      folder,
      restartApi: () => supervisor.restart('api'),
      apiPid: () => supervisor.pids()['api'] ?? 0,
      pids: () => ({
        ...supervisor.pids(),
        ...stack.simulated?.pids(),
        ...(stack.temporal === undefined ? {} : { temporal: stack.temporal.pid() }),
      }),
      workers,
      objectServerPort,
      functionPort,
      stores,
      atEnd: (stopOne) => void stops.push(stopOne),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** What the api and the worker are started with. */
function environmentOf(
  stack: Stack,
  kubeconfig: string,
  stores: Stores,
  ports: { port: number; objectServerPort: number; functionPort: number },
): Record<string, string> {
  return {
    KUBECONFIG: kubeconfig,
    SVC_TEMPORAL_ADDRESS: stack.temporalAddress,
    SVC_TEMPORAL_NAMESPACE: stack.temporalNamespace,
    SVC_PORT: String(ports.port),
    SVC_PROMETHEUS_URL: stores.metrics.address,
    SVC_LOGS_URL: stores.logs.address,
    ...imageEnvironment(stack),
    ...(stack.node === undefined
      ? {
          SVC_OBJECT_SERVER_ENDPOINT: `http://127.0.0.1:${ports.objectServerPort}`,
          SVC_FUNCTION_ENDPOINT: `127.0.0.1:${ports.functionPort}`,
        }
      : defined({ SVC_SLEEP_INTERCEPTOR: stack.node.interceptor })),
  }
}

async function createStores(folder: string): Promise<Stores> {
  const [metrics, logs] = await Promise.all([
    createMetricsStore(join(folder, 'metrics')),
    createLogStore(join(folder, 'logs'), join(folder, 'pod-logs')),
  ])
  return { metrics, logs }
}

const childIn =
  (folder: string) =>
  (name: string, script: string, env: Record<string, string>, ready: ChildSpec['ready']): ChildSpec => ({
    name,
    command: process.execPath,
    args: [...nodeMemory, join(root, script)],
    cwd: root,
    env: { ...mallocMemory, ...env },
    logFile: join(folder, `${name}.log`),
    readyWithinMs,
    ...defined({ ready }),
  })

function workersOf(supervisor: ReturnType<typeof createSupervisor>, specOf: (name: string) => ChildSpec): Workers {
  let count = 0
  return {
    async start() {
      const name = `worker-${++count}`
      await supervisor.start(specOf(name))
      return name
    },
    kill: (name) => supervisor.kill(name, 'SIGKILL'),
    pid: (name) => supervisor.pids()[name] ?? 0,
    names: () => Object.keys(supervisor.pids()).filter((name) => name.startsWith('worker-')),
  }
}

async function temporalMetricsPort(folder: string): Promise<number> {
  const ports = JSON.parse(await readFile(join(folder, 'temporal', 'ports.json'), 'utf8')) as { metrics: number }
  return ports.metrics
}

function hasLine(file: string, line: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8').includes(line)
}

async function serves(url: string): Promise<boolean> {
  try {
    const { ok } = await fetch(`${url}/healthz`)
    return ok
  } catch {
    return false // not listening yet
  }
}
