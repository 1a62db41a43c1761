/** The command lines of the node's servers, in the two groups in which they start. */
import { join } from 'node:path'
import { NODE, kubeconfigPath } from './certificates.ts'
import type { NodeNetwork } from './network.ts'

/** The servers that a node runs, by the names of the server catalogue. */
export const NODE_SERVERS = [
  'registry',
  'etcd',
  'containerd',
  'containerd-shim-runc-v2',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
] as const
/** The servers of the node, and the programs that run on it in pods. */
export const NODE_PROGRAMS = [...NODE_SERVERS, 'coredns', 'local-path-provisioner'] as const
export type NodeServer = (typeof NODE_SERVERS)[number]

export interface Command {
  name: NodeServer
  argv: string[]
}

type Paths = Record<NodeServer, string>

/**
 * Started at once. etcd writes through to the disk (no --unsafe-no-fsync): this state belongs to a user and must
 * survive a power cut.
 */
export function firstCommands(nodeDir: string, network: NodeNetwork, paths: Paths): Command[] {
  const etc = (name: string): string => join(nodeDir, 'etc', name)
  const client = 'http://127.0.0.1:2379'
  const peer = 'http://127.0.0.1:2380'
  return [
    { name: 'registry', argv: [paths.registry, 'serve', etc('registry.json')] },
    {
      name: 'etcd',
      argv: [
        paths.etcd,
        '--name=etcd',
        `--data-dir=${join(nodeDir, 'etcd')}`,
        '--log-level=warn',
        `--listen-client-urls=${client}`,
        `--advertise-client-urls=${client}`,
        `--listen-peer-urls=${peer}`,
        `--initial-advertise-peer-urls=${peer}`,
        `--initial-cluster=etcd=${peer}`,
      ],
    },
    { name: 'containerd', argv: [paths.containerd, '--config', etc('containerd.toml')] },
    { name: 'kube-apiserver', argv: [paths['kube-apiserver'], ...apiServerFlags(join(nodeDir, 'pki'), network)] },
  ]
}

function apiServerFlags(pki: string, network: NodeNetwork): string[] {
  return [
    `--advertise-address=${network.nodeAddress}`,
    '--bind-address=0.0.0.0',
    '--secure-port=6443',
    '--etcd-servers=http://127.0.0.1:2379',
    `--service-cluster-ip-range=${network.serviceRange}`,
    `--tls-cert-file=${pki}/apiserver.crt`,
    `--tls-private-key-file=${pki}/apiserver.key`,
    `--client-ca-file=${pki}/ca.crt`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${pki}/sa.pub`,
    `--service-account-signing-key-file=${pki}/sa.key`,
    `--kubelet-certificate-authority=${pki}/ca.crt`,
    `--kubelet-client-certificate=${pki}/apiserver-kubelet.crt`,
    `--kubelet-client-key=${pki}/apiserver-kubelet.key`,
    '--kubelet-preferred-address-types=InternalIP',
    `--requestheader-client-ca-file=${pki}/ca.crt`,
    '--requestheader-allowed-names=front-proxy',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${pki}/front-proxy.crt`,
    `--proxy-client-key-file=${pki}/front-proxy.key`,
    '--enable-aggregator-routing=true',
    '--profiling=false',
  ]
}

/** Started once the API server answers; the controllers' own client limits would otherwise cost 5 s at a start. */
export function secondCommands(nodeDir: string, network: NodeNetwork, paths: Paths): Command[] {
  const pki = join(nodeDir, 'pki')
  const config = (user: string): string => `--kubeconfig=${kubeconfigPath(nodeDir, user)}`
  return [
    {
      name: 'kube-controller-manager',
      argv: [
        paths['kube-controller-manager'],
        config('controller-manager'),
        '--leader-elect=false',
        '--bind-address=127.0.0.1',
        '--use-service-account-credentials=true',
        '--controllers=*,bootstrapsigner,tokencleaner',
        `--root-ca-file=${pki}/ca.crt`,
        `--service-account-private-key-file=${pki}/sa.key`,
        `--cluster-signing-cert-file=${pki}/ca.crt`,
        `--cluster-signing-key-file=${pki}/ca.key`,
        `--cluster-cidr=${network.podRange}`,
        '--allocate-node-cidrs=false',
        '--profiling=false',
        '--kube-api-qps=200',
        '--kube-api-burst=400',
      ],
    },
    {
      name: 'kube-scheduler',
      argv: [
        paths['kube-scheduler'],
        config('scheduler'),
        '--leader-elect=false',
        '--bind-address=127.0.0.1',
        '--profiling=false',
      ],
    },
    {
      name: 'kubelet',
      argv: [
        paths.kubelet,
        `--config=${join(nodeDir, 'etc/kubelet.json')}`,
        config('kubelet'),
        `--hostname-override=${NODE}`,
        `--node-ip=${network.nodeAddress}`,
        '--root-dir=/var/lib/kubelet',
      ],
    },
    {
      name: 'kube-proxy',
      argv: [paths['kube-proxy'], `--config=${join(nodeDir, 'etc/kube-proxy.json')}`, `--hostname-override=${NODE}`],
    },
  ]
}

/** One line a server for init.sh: name, a space, the command quoted for the shell. */
export function serviceLines(commands: Command[]): string {
  return commands.map(({ name, argv }) => `${name} ${argv.map(quote).join(' ')}\n`).join('')
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
