/** The configuration files of the node's servers, as data. */
import { mkdir, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { kubeconfigPath } from './certificates.ts'
import type { NodeNetwork } from './network.ts'

export const PAUSE_IMAGE = 'registry.k8s.io/pause:3.10.2'
export const REGISTRY_PORT = 5000
/** Processes and threads of a pod; the machine has 32,768 for all of them where nothing else is set. */
const POD_PIDS = 4096
const OVERLAY_MAGIC = 0x794c7630

/** Programs and folders that the settings name, all absolute. */
export interface NodeTools {
  runc: string
  cniPlugins: string
  shim: string
}

/** Writes every settings file into `<nodeDir>/etc`; they contain no secret. */
export async function writeSettings(nodeDir: string, network: NodeNetwork, tools: NodeTools): Promise<void> {
  const etc = join(nodeDir, 'etc')
  await mkdir(join(etc, 'cni'), { recursive: true })
  await mkdir(join(etc, 'certs.d/_default'), { recursive: true })
  const files: Record<string, string> = {
    'kubelet.json': JSON.stringify(kubelet(nodeDir, network)),
    'kube-proxy.json': JSON.stringify(kubeProxy(nodeDir, network)),
    'containerd.toml': containerd(nodeDir, tools, await snapshotter(nodeDir)),
    'registry.json': JSON.stringify(registry(nodeDir)),
    'cni/10-svc.conflist': JSON.stringify(cni(network)),
    'certs.d/_default/hosts.toml': HOSTS,
    'resolv.conf': `nameserver ${network.egressDns}\n`,
    hosts: `127.0.0.1 localhost\n${network.nodeAddress} node-1\n${network.hostAddress} host.internal\n`,
  }
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(etc, name), text)))
}

/**
 * failCgroupV1 false: version 1 still works in this kubelet. No image is ever garbage-collected, since some exist only
 * here.
 */
function kubelet(nodeDir: string, network: NodeNetwork): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    failCgroupV1: false,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${network.name}`,
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: join(nodeDir, 'pki/ca.crt') },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: join(nodeDir, 'pki/kubelet.crt'),
    tlsPrivateKeyFile: join(nodeDir, 'pki/kubelet.key'),
    clusterDNS: [network.dnsAddress],
    clusterDomain: 'cluster.local',
    resolvConf: join(nodeDir, 'etc/resolv.conf'),
    failSwapOn: false,
    serializeImagePulls: false,
    registryPullQPS: 0,
    eventRecordQPS: 0,
    imageGCHighThresholdPercent: 100,
    evictionHard: {
      'memory.available': '100Mi',
      'nodefs.available': '1%',
      'imagefs.available': '1%',
      'nodefs.inodesFree': '1%',
    },
    maxPods: 250,
    podPidsLimit: POD_PIDS,
  }
}

/** conntrack zeros: keep the machine's own limits. */
function kubeProxy(nodeDir: string, network: NodeNetwork): object {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    clientConnection: { kubeconfig: kubeconfigPath(nodeDir, 'kube-proxy') },
    clusterCIDR: network.podRange,
    bindAddress: '0.0.0.0',
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    nodePortAddresses: ['primary'],
    // 0 would become the default of a second, for which a copy that is ready gets no request.
    nftables: { minSyncPeriod: '10ms' },
  }
}

/**
 * restrict_oom_score_adj: where root lacks CAP_SYS_RESOURCE the score cannot be lowered, and runc would fail on it. The
 * shim has an absolute path, since no program of ours is on PATH. The plugin `opt` makes folders in /opt of the
 * machine.
 */
function containerd(nodeDir: string, tools: NodeTools, snapshots: string): string {
  return `version = 3
root = '${nodeDir}/containerd'
state = '/run/containerd'
disabled_plugins = [
  'io.containerd.nri.v1.nri',
  'io.containerd.internal.v1.opt',
  'io.containerd.tracing.processor.v1.otlp',
  'io.containerd.internal.v1.tracing',
]
[grpc]
  address = '/run/containerd/containerd.sock'
[plugins.'io.containerd.cri.v1.images']
  snapshotter = '${snapshots}'
  max_concurrent_downloads = 8
  [plugins.'io.containerd.cri.v1.images'.pinned_images]
    sandbox = '${PAUSE_IMAGE}'
  [plugins.'io.containerd.cri.v1.images'.registry]
    config_path = '${nodeDir}/etc/certs.d'
[plugins.'io.containerd.cri.v1.runtime']
  disable_apparmor = true
  restrict_oom_score_adj = true
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = ['${tools.cniPlugins}']
    conf_dir = '${nodeDir}/etc/cni'
  [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
    runtime_type = 'io.containerd.runc.v2'
    runtime_path = '${tools.shim}'
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
      BinaryName = '${tools.runc}'
      SystemdCgroup = false
`
}

/**
 * Every image name is looked up in the node's own registry first and then, with no \`server\` named, in the name's real
 * registry.
 */
const HOSTS = `[host."http://127.0.0.1:${REGISTRY_PORT}"]
  capabilities = ["pull", "resolve"]
`

function registry(nodeDir: string): object {
  return {
    version: 0.1,
    log: { level: 'warn', accesslog: { disabled: true } },
    storage: {
      filesystem: { rootdirectory: join(nodeDir, 'registry') },
      delete: { enabled: true },
      cache: { blobdescriptor: 'inmemory' },
    },
    http: { addr: `0.0.0.0:${REGISTRY_PORT}` },
  }
}

/**
 * isDefaultGateway together with a default route fails in plugin release 1.1, hence isGateway and the route by hand.
 */
function cni(network: NodeNetwork): object {
  const ipam = {
    type: 'host-local',
    dataDir: '/run/cni-ipam',
    ranges: [[{ subnet: network.podRange }]],
    routes: [{ dst: '0.0.0.0/0' }],
  }
  return {
    cniVersion: '1.0.0',
    name: 'svc',
    plugins: [
      { type: 'bridge', bridge: 'cni0', isGateway: true, hairpinMode: true, ipMasq: false, ipam },
      { type: 'portmap', capabilities: { portMappings: true }, snat: true },
    ],
  }
}

/** An overlay does not work on an overlay, as with a data folder inside a container: then `native` copies. */
async function snapshotter(nodeDir: string): Promise<'overlayfs' | 'native'> {
  return (await statfs(nodeDir)).type === OVERLAY_MAGIC ? 'native' : 'overlayfs'
}
