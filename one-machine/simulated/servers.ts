/** The command lines of the five servers of a simulated cluster. */
import type { ChildSpec } from '../processes/supervisor.ts'
import type { Credentials } from './credentials.ts'

export const serverNames = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok'] as const
export type ServerName = (typeof serverNames)[number]

export interface ServerSettings {
  readonly dataDir: string
  readonly executables: Readonly<Record<ServerName, string>>
  readonly apiPort: number
  readonly kubeletPort: number
  readonly kubeconfig: string
  readonly certificateFile: string
  readonly certificateKeyFile: string
  readonly credentials: Credentials
  readonly stagesFile: string
  /** Writes of every client, metadata only; for measuring what an idle platform costs. */
  readonly audit?: { readonly policyFile: string; readonly logFile: string }
  readonly keepAlive: boolean
}

/** Sockets in the data directory, where only its owner can reach them: etcd authenticates no client. */
const etcdSocket = 'unix://etcd:1'
const etcdPeerSocket = 'unix://etcd-peer:1'

const etcdArguments = [
  '--name=svc',
  '--data-dir=etcd',
  '--log-level=error',
  `--listen-client-urls=${etcdSocket}`,
  `--advertise-client-urls=${etcdSocket}`,
  `--listen-peer-urls=${etcdPeerSocket}`,
  `--initial-advertise-peer-urls=${etcdPeerSocket}`,
  `--initial-cluster=svc=${etcdPeerSocket}`,
  // Survives the death of any process, not the loss of power; simulated pods hold nothing worth an fsync per write.
  '--unsafe-no-fsync',
]

/**
 * Fewer rounds of Go's garbage collection. In three bursts of 50 new services with it and three without, by turns on
 * two busy cores, the API server took 126 to 153 ms of processor time for each service instead of 162 to 182; 750 to
 * 830 MiB were resident afterwards instead of 420. A GOGC of the caller's goes before. No GOMEMLIMIT: with thousands
 * of services what is in use may pass any fixed limit, and the server would then collect all the time.
 */
const apiServerGarbage = '400'

function apiServerArguments({ apiPort, credentials, audit }: ServerSettings): string[] {
  return [
    `--etcd-servers=${etcdSocket}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${apiPort}`,
    '--cert-dir=certificates',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${credentials.serviceAccountKeyFile}`,
    `--service-account-signing-key-file=${credentials.serviceAccountKeyFile}`,
    `--token-auth-file=${credentials.tokenFile}`,
    '--authorization-mode=Node,RBAC',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--endpoint-reconciler-type=none',
    '--kubelet-preferred-address-types=InternalIP',
    // Simulated pods need no token, and waiting for the account of a new namespace would slow every first deploy.
    '--disable-admission-plugins=ServiceAccount',
    '--allow-privileged',
    '--max-requests-inflight=1500',
    '--max-mutating-requests-inflight=500',
    ...(audit === undefined ? [] : [`--audit-policy-file=${audit.policyFile}`, `--audit-log-path=${audit.logFile}`]),
  ]
}

function controllerArguments(kubeconfig: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    '--secure-port=0',
    '--leader-elect=false',
    '--kube-api-qps=1000',
    '--kube-api-burst=1000',
  ]
}

function kwokArguments(settings: ServerSettings): string[] {
  return [
    `--kubeconfig=${settings.kubeconfig}`,
    `--config=${settings.stagesFile}`,
    '--manage-all-nodes=true',
    '--node-ip=127.0.0.1',
    '--node-name=simulated',
    `--node-port=${settings.kubeletPort}`,
    `--server-address=127.0.0.1:${settings.kubeletPort}`,
    `--tls-cert-file=${settings.certificateFile}`,
    `--tls-private-key-file=${settings.certificateKeyFile}`,
    '--cidr=10.244.0.0/16',
    '--node-lease-duration-seconds=0', // no heartbeats: an idle cluster writes nothing
  ]
}

/** The command line of each server, without probes: the cluster itself checks readiness. */
export function describeServer(name: ServerName, settings: ServerSettings): ChildSpec {
  const controller = controllerArguments(settings.kubeconfig)
  const args: Record<ServerName, string[]> = {
    etcd: etcdArguments,
    'kube-apiserver': apiServerArguments(settings),
    'kube-controller-manager': [
      ...controller,
      `--service-account-private-key-file=${settings.credentials.serviceAccountKeyFile}`,
      '--node-monitor-grace-period=87600h', // nodes send no heartbeats
    ],
    'kube-scheduler': controller,
    kwok: kwokArguments(settings),
  }
  return {
    name,
    command: settings.executables[name],
    args: args[name],
    cwd: settings.dataDir,
    ...(name === 'kube-apiserver' ? { env: { GOGC: process.env['GOGC'] ?? apiServerGarbage } } : {}),
    logFile: `${settings.dataDir}/logs/${name}.log`,
    keepAlive: settings.keepAlive,
  }
}
