/** svc itself on one machine: the api and the worker as child processes, and the first administrator's password. */
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { coreTypes } from '../cluster/objects/resource-type.ts'
import { signInSecrets } from '../kinds/system-secrets.ts'
import { functionImageNames } from './images/functions.ts'
import { systemNamespace } from './install.ts'
import { mallocMemory, nodeMemory } from './processes/node-memory.ts'
import { type Target, targetsOfSvc } from './metrics/scrape.ts'
import { freePort, loopback } from './processes/ports.ts'
import { createSupervisor, stopLeftovers, type ChildSpec } from './processes/supervisor.ts'
import type { Stack } from './stack.ts'
import type { RunningNode } from './node/start.ts'
import { withCluster } from './cluster.ts'
import { defined } from '../contract/defined.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Both are stopped at the same time; with the servers after them the whole stop stays under ten seconds. */
const stopWithinMs = 3_000
const workerReadyLine = 'the worker is ready'

export interface PlatformOptions {
  readonly stack: Stack
  readonly dataDir: string
  readonly port: number
  readonly env: NodeJS.ProcessEnv
  /** Address of the metrics store that the api asks; without it the environment may name one. */
  readonly metricsStore: string | undefined
  /** The settings of the api about the history of logs. */
  readonly logs: Readonly<Record<string, string>>
  /** Code under development may exit repeatedly: the process is then restarted only after the next edit. */
  readonly edited: boolean
  /** Called when a process exited by itself, with a line that says whether it is restarted. */
  readonly onEnd: (line: string) => void
  /** Called with each step that the start waits for. */
  readonly progress: (line: string) => void
}

/** What restarts by itself. */
export type Part = 'api' | 'worker'

export interface Platform {
  readonly url: string
  /** Generated at the first start and stored nowhere: show it once. */
  readonly firstPassword?: string
  /** Where the api and the worker count what they do. */
  readonly targets: readonly Target[]
  /** Gives every service without a host an address at this ingress: the worker restarts and checks all services. */
  giveAddresses(ingress: string): Promise<void>
  /** Resolves when it serves again. */
  restart(part: Part): Promise<void>
  stop(): Promise<void>
}

/** A password while there are no users and SVC_DASHBOARD_USERS names none. */
async function makeFirstPassword({ stack, env }: PlatformOptions): Promise<string | undefined> {
  if (env['SVC_DASHBOARD_USERS']) return undefined
  const users = await withCluster(stack.kubeconfig, (client) =>
    client.get({ type: coreTypes.secret, namespace: systemNamespace, name: signInSecrets.users }),
  )
  return users === undefined ? randomBytes(12).toString('base64url') : undefined
}

async function serves(url: string): Promise<boolean> {
  try {
    const { statusCode, body } = await request(`${url}/healthz`)
    await body.dump()
    return statusCode === 200
  } catch {
    return false // not listening yet
  }
}

/** Whether the log has this line after offset `from`; lines of earlier starts do not count. */
function hasLogged(file: string, from: number, line: string): boolean {
  if (!existsSync(file)) return false
  const size = statSync(file).size
  const start = size < from ? 0 : from
  const text = Buffer.alloc(size - start)
  const log = openSync(file, 'r')
  try {
    readSync(log, text, 0, text.length, start)
  } finally {
    closeSync(log)
  }
  return text.includes(line)
}

function describeProcess(
  name: Part,
  script: string,
  environment: Record<string, string>,
  options: PlatformOptions,
): ChildSpec {
  const logFile = join(options.dataDir, 'logs', `${name}.log`)
  return {
    name,
    command: process.execPath,
    args: [...nodeMemory, join(root, script)],
    cwd: root,
    env: environment,
    logFile,
    stopWithinMs,
    keepAlive: !options.edited,
    onEnd: (reason) =>
      options.onEnd(
        `${name} ended (${reason}) and ${options.edited ? 'waits for an edit' : 'is started again'}; its log is ${logFile}`,
      ),
  }
}

/**
 * With an ingress on this machine every service gets an address that browsers and curl find without DNS: `*.localhost`.
 */
function autoHosts(ingress: string | undefined): Record<string, string> {
  return ingress === undefined ? {} : { SVC_AUTO_HOSTS: `localhost:${new URL(ingress).port}` }
}

/** Authorities that the operator names, as files or as text, and the one of the git server of this machine. */
function gitAuthorities(given: string | undefined, own: string): string {
  if (given === undefined || given.trim() === '') return own
  return given.includes('-----BEGIN') ? `${given}\n${readFileSync(own, 'utf8')}` : `${given},${own}`
}

interface Nodes extends Pick<Stack, 'simulated'> {
  readonly node?: Pick<RunningNode, 'registryAddress' | 'imageNames' | 'gitCertificate'>
}

/**
 * The node's own registry is the first one, as for its containerd; simulated nodes pull no images.
 *
 * @param env where an operator may name authorities of git servers, and other images for functions and backups
 */
export function imageEnvironment(
  { node, simulated }: Nodes,
  {
    SVC_BUILD_GIT_CA: given,
    SVC_BACKUP_IMAGE: backups,
    SVC_FUNCTION_IMAGES: functions = JSON.stringify(functionImageNames),
  }: NodeJS.ProcessEnv = {},
): Record<string, string> {
  if (simulated !== undefined) return { SVC_IMAGE_DIGESTS: 'off', SVC_FUNCTION_IMAGES: functions }
  return node === undefined
    ? {}
    : {
        SVC_REGISTRY_MIRROR: `http://${node.registryAddress}`,
        SVC_MINIO_IMAGE: node.imageNames.objectServer,
        SVC_BACKUP_IMAGE: backups || node.imageNames.transfer,
        SVC_BUILDER_IMAGE: node.imageNames.builder,
        SVC_FUNCTION_IMAGES: functions,
        // Builds push to it, and read from it what Dockerfiles begin with.
        SVC_BUILD_REGISTRY: `${node.registryAddress}/svc/builds`,
        SVC_BUILD_PLAIN_REGISTRIES: node.registryAddress,
        SVC_BUILD_MIRROR: node.registryAddress,
        SVC_BUILD_GIT_CA: gitAuthorities(given, node.gitCertificate.authority),
        // Only this install uses it, and its disk is this machine's.
        SVC_BUILD_OLD_IMAGES: 'remove',
      }
}

/** The settings that are the same for both. */
function sharedEnvironment({ stack, dataDir, port, env }: PlatformOptions): Record<string, string> {
  return {
    ...mallocMemory,
    ...defined({ KUBECONFIG: stack.kubeconfig }),
    SVC_TEMPORAL_ADDRESS: stack.temporalAddress,
    SVC_TEMPORAL_NAMESPACE: stack.temporalNamespace,
    ...defined({ SVC_TEMPORAL_PAGES: stack.temporalUiAddress }),
    SVC_DATA: dataDir,
    SVC_HOST: loopback,
    SVC_PORT: String(port),
    // There is only one worker, so its release is always the current one, also after a return to an older checkout.
    SVC_RELEASES: env['SVC_RELEASES'] ?? 'this',
    ...autoHosts(stack.node?.ingress()),
    ...imageEnvironment(stack, env),
    ...defined({ SVC_SLEEP_INTERCEPTOR: stack.node?.interceptor }),
  }
}

/** Starts the api and the worker; resolves when the api answers /healthz with 200 and the worker polls for tasks. */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { dataDir, port } = options
  const runFile = join(dataDir, 'run.json')
  await stopLeftovers(runFile)
  const firstPassword = await makeFirstPassword(options)
  const environment = sharedEnvironment(options)
  // The api counts on its own port.
  const metricsPort = options.env['SVC_METRICS_PORT'] ? undefined : await freePort()
  const workerEnvironment = { ...environment, ...(metricsPort && { SVC_METRICS_PORT: String(metricsPort) }) }
  const users =
    firstPassword === undefined
      ? {}
      : { SVC_DASHBOARD_USERS: JSON.stringify([{ username: 'admin', password: firstPassword, role: 'admin' }]) }
  const stores = { ...defined({ SVC_PROMETHEUS_URL: options.metricsStore }), ...options.logs }
  const url = `http://${loopback}:${port}`
  const worker = describeProcess('worker', 'temporal/main.ts', workerEnvironment, options)
  const sizeOfLog = (): number => (existsSync(worker.logFile) ? statSync(worker.logFile).size : 0)
  let before = sizeOfLog()
  const supervisor = createSupervisor(runFile)
  try {
    const api = supervisor.start({
      ...describeProcess('api', 'api/main.ts', { ...environment, ...users, ...stores }, options),
      ready: () => serves(url),
    })
    const working = supervisor.start({
      ...worker,
      ready: async () => hasLogged(worker.logFile, before, workerReadyLine),
    })
    await Promise.all([
      api.then(() => options.progress('the api serves')),
      working.then(() => options.progress('the worker takes work')),
    ])
  } catch (error) {
    await supervisor.stop()
    throw error
  }
  let turn = Promise.resolve()
  /** Serialized: two concurrent restarts of a process would leave one that is never stopped. */
  const restart = (part: Part, env?: Record<string, string>): Promise<void> => {
    const mine = turn.then(async () => {
      if (part === 'worker') before = sizeOfLog()
      await supervisor.restart(part, env)
    })
    turn = mine.catch(() => undefined) // the caller gets the error
    return mine
  }
  return {
    url,
    ...defined({ firstPassword }),
    targets: targetsOfSvc(metricsPort === undefined ? [port] : [port, metricsPort]),
    giveAddresses: (ingress) => restart('worker', { ...workerEnvironment, ...autoHosts(ingress) }),
    restart: (part) => restart(part),
    stop: () => supervisor.stop('together'),
  }
}
