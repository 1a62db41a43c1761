/**
 * A simulated cluster: real Kubernetes servers on loopback, nodes and pods played by kwok. State lasts in its folder.
 */
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { seriesRead, type Target } from '../metrics/scrape.ts'
import { scaledLimit } from '../processes/time-limits.ts'
import { keepPorts } from '../processes/kept-port.ts'
import { isListening } from '../processes/ports.ts'
import { createSupervisor, stopLeftovers, type Supervisor } from '../processes/supervisor.ts'
import { resolveServers } from '../servers/resolve.ts'
import { readOrMakeCredentials, writeKubeconfig } from './credentials.ts'
import { createKubeApi, type KubeApi } from './kube-api.ts'
import { describeServer, serverNames, type ServerName, type ServerSettings } from './servers.ts'
import { writeStages } from './stages.ts'

const readyWithinMs = 30_000
const pollMs = 40
const nodeCapacity = { cpu: '32', memory: '256Gi', pods: '5000' }
const auditPolicy = (reads: boolean) => ({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  rules: [{ level: 'None', verbs: reads ? ['watch'] : ['get', 'list', 'watch'] }, { level: 'Metadata' }],
})

export interface SimulatedClusterOptions {
  /** Made when missing; holds everything the cluster knows. */
  readonly dataDir: string
  /** How many nodes there are at least; default 2. */
  readonly nodes?: number
  /** A file that receives one JSON line per write request, without bodies. */
  readonly auditLog?: string
  /** Notes reads there, too; watches never. */
  readonly auditReads?: boolean
  /** Commands in simulated containers run on this machine; only for tests, else there are none. */
  readonly exec?: boolean
  /** Port of the api server; default: the last one when it is free, else any. */
  readonly port?: number
  /** Restarts a server that exited by itself; tests that kill servers leave it off. */
  readonly keepAlive?: boolean
  readonly progress?: (line: string) => void
}

export interface SimulatedCluster {
  /** Path of an admin's kubeconfig. */
  readonly kubeconfig: string
  /** The answer of `kubectl logs` for every container; append lines `<RFC3339 time> stdout F <text>`. */
  readonly containerLog: string
  /** What is played of the pods' use, of each node. */
  readonly targets: readonly Target[]
  pids(): Record<string, number>
  stop(): Promise<void>
  /** Stops and starts one server; resolves when the cluster answers again. */
  restart(name: ServerName): Promise<void>
  kill(name: ServerName, signal: NodeJS.Signals): void
}

type Settings = ServerSettings & { readonly containerLog: string }

/** Finds the executables and writes every file the servers read. */
async function prepare(options: SimulatedClusterOptions): Promise<Settings> {
  const dataDir = resolve(options.dataDir)
  const inside = (name: string): string => join(dataDir, name)
  const executables = await resolveServers(serverNames, { progress: options.progress ?? (() => undefined) })
  const ports = await keepPorts(inside('ports.json'), ['api', 'kubelet'], { api: options.port })
  const containerLog = inside('container.log')
  if (!existsSync(containerLog))
    appendFileSync(containerLog, `${new Date().toISOString()} stdout F a simulated container: nothing runs in it\n`)
  writeStages(inside('stages.yaml'), containerLog, options.exec ?? false)
  const audit = { policyFile: inside('audit-policy.json'), logFile: resolve(options.auditLog ?? '') }
  writeFileSync(audit.policyFile, JSON.stringify(auditPolicy(options.auditReads ?? false)))
  return {
    dataDir,
    executables,
    apiPort: ports.api,
    kubeletPort: ports.kubelet,
    kubeconfig: inside('kubeconfig'),
    certificateFile: inside('certificates/apiserver.crt'),
    certificateKeyFile: inside('certificates/apiserver.key'),
    credentials: readOrMakeCredentials(dataDir),
    stagesFile: inside('stages.yaml'),
    containerLog,
    keepAlive: options.keepAlive ?? false,
    ...(options.auditLog === undefined ? {} : { audit }),
  }
}

async function until(isTrue: () => Promise<boolean> | boolean, otherwise: string): Promise<void> {
  for (const deadline = Date.now() + scaledLimit(readyWithinMs); !(await isTrue()); await sleep(pollMs)) {
    if (Date.now() > deadline) throw new Error(otherwise)
  }
}

async function addNodes(api: KubeApi, count: number): Promise<void> {
  await api.apply('/apis/storage.k8s.io/v1/storageclasses', {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'simulated', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'svc.dev/simulated',
  })
  for (let n = 1; n <= count; n++) {
    const name = `simulated-${n}`
    const labels = {
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'svc.dev/simulated': 'true',
    }
    const status = { allocatable: nodeCapacity, capacity: nodeCapacity }
    await api.apply('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, status })
  }
}

/** kwok serves the numbers of all nodes, and shows the certificate of the API server. */
const kubeletTarget = (node: string, { kubeletPort, certificateFile }: Settings): Target => ({
  job: node,
  url: `https://127.0.0.1:${kubeletPort}/metrics/nodes/${node}/metrics/cadvisor`,
  series: seriesRead.cadvisor,
  tls: { ca: certificateFile },
})

/** Starts etcd and the api server together; the others need the api server's certificate, then the api server. */
async function startServers(
  supervisor: Supervisor,
  api: KubeApi,
  settings: Settings,
  report: (line: string) => void,
): Promise<void> {
  report('etcd and kube-apiserver start')
  await supervisor.start(describeServer('etcd', settings))
  await supervisor.start({ ...describeServer('kube-apiserver', settings), ready: () => api.isReady() })
  writeKubeconfig(settings.kubeconfig, settings.apiPort, settings.certificateFile, settings.credentials.token)
  for (const name of ['kwok', 'kube-scheduler', 'kube-controller-manager'] as const)
    await supervisor.start(describeServer(name, settings))
}

/**
 * Starts etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kwok; resolves when the nodes are Ready.
 * Processes that a killed start left in the same folder are stopped first. Rejects with the end of a server's log.
 */
export async function startSimulatedCluster(options: SimulatedClusterOptions): Promise<SimulatedCluster> {
  const dataDir = resolve(options.dataDir)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const runFile = join(dataDir, 'run.json')
  await stopLeftovers(runFile)
  const settings = await prepare(options)
  const supervisor = createSupervisor(runFile)
  const api = createKubeApi(settings.apiPort, settings.certificateFile, settings.credentials.token)
  const nodes = options.nodes ?? 2
  const stop = async (): Promise<void> => {
    await api.close()
    await supervisor.stop()
  }
  try {
    const report = options.progress ?? (() => undefined)
    await startServers(supervisor, api, settings, report)
    report('the nodes get ready')
    await addNodes(api, nodes)
    await until(async () => (await api.countReadyNodes()) >= nodes, 'the simulated nodes do not get ready')
    // kwok makes nodes and pods ready before it serves their logs.
    await until(() => isListening(settings.kubeletPort), 'the kubelet of the simulated nodes does not listen')
  } catch (error) {
    await stop()
    throw error
  }
  return {
    kubeconfig: settings.kubeconfig,
    containerLog: settings.containerLog,
    targets: Array.from({ length: nodes }, (_, n) => kubeletTarget(`simulated-${n + 1}`, settings)),
    pids: () => supervisor.pids(),
    stop,
    async restart(name) {
      await supervisor.restart(name)
      await until(() => api.isReady(), 'kube-apiserver does not get ready')
    },
    kill: (name, signal) => supervisor.kill(name, signal),
  }
}
