/** The available servers: their pinned versions, their downloads and their builds. Data only. */
import {
  etcdDownload,
  kubernetesDownload,
  kubernetesVersion,
  kwokDownload,
  lokiDownload,
  lokiVersion,
  temporalDownload,
  victoriaMetricsDownload,
  victoriaMetricsVersion,
} from './publishers.ts'
import type { Server } from './server.ts'

const kedaVersion = '2.21.0'
const kubernetesVariables = ['gitVersion=v1.36.3', 'gitMajor=1', 'gitMinor=36', 'gitTreeState=clean'].map(
  (setting) => `k8s.io/component-base/version.${setting}`,
)

function kubernetes(name: string, buildSeconds: number, versionArguments = ['--version']): Server {
  return {
    version: kubernetesVersion,
    group: 'kubernetes',
    package: `k8s.io/kubernetes/cmd/${name}`,
    variables: kubernetesVariables,
    versionArguments,
    buildSeconds,
    download: kubernetesDownload(name),
  }
}

function containerd(name: string, buildSeconds: number, versionArguments = ['--version']): Server {
  return {
    version: '2.4.2',
    group: 'containerd',
    package: `github.com/containerd/containerd/v2/cmd/${name}`,
    variables: ['github.com/containerd/containerd/v2/version.Version=v2.4.2'],
    tags: 'no_btrfs,no_devmapper,no_zfs',
    versionArguments,
    buildSeconds,
  }
}

/** The programs of an image build, which run inside of a pod. */
function buildkit(name: string, buildSeconds: number): Server {
  return {
    version: '0.34.2',
    group: 'buildkit',
    package: `github.com/moby/buildkit/cmd/${name}`,
    variables: ['github.com/moby/buildkit/version.Version=v0.34.2'],
    versionArguments: ['--version'],
    buildSeconds,
  }
}

/** Servers without a `download` are always built: no sum of theirs is known, so a download could not be verified. */
const servers = {
  etcd: {
    version: '3.6.8',
    group: 'kubernetes',
    package: 'go.etcd.io/etcd/server/v3',
    versionArguments: ['--version'],
    buildSeconds: 20,
    download: etcdDownload,
  },
  'kube-apiserver': kubernetes('kube-apiserver', 170),
  'kube-controller-manager': kubernetes('kube-controller-manager', 40),
  'kube-scheduler': kubernetes('kube-scheduler', 5),
  kwok: {
    version: '0.8.0',
    group: 'kubernetes',
    package: 'sigs.k8s.io/kwok/cmd/kwok',
    versionArguments: ['--version'],
    buildSeconds: 10,
    download: kwokDownload,
  },
  temporal: {
    version: '1.5.1',
    group: 'temporal',
    package: 'github.com/temporalio/cli/cmd/temporal',
    variables: ['github.com/temporalio/cli/temporalcli.Version=1.5.1'],
    // A server for development archives nothing: the clients of the stores of clouds are a fifth of the program.
    altered: [
      {
        module: 'go.temporal.io/server',
        files: {
          'common/archiver/provider/provider.go': '_instead/archiver-provider.go',
          'common/persistence/visibility/store/elasticsearch/client/aws.go': '_instead/elasticsearch-aws.go',
        },
      },
    ],
    versionArguments: ['--version'],
    buildSeconds: 120,
    download: temporalDownload,
  },
  kubectl: kubernetes('kubectl', 20, ['version', '--client']),
  helm: {
    version: '3.20.2', // a later one needs later libraries than this Kubernetes
    group: 'kubernetes',
    package: 'helm.sh/helm/v3/cmd/helm',
    variables: ['helm.sh/helm/v3/internal/version.version=v3.20.2'],
    versionArguments: ['version', '--short'],
    buildSeconds: 25,
  },
  kubelet: kubernetes('kubelet', 20),
  'kube-proxy': kubernetes('kube-proxy', 10),
  coredns: {
    version: '1.14.2', // which kubeadm installs with this Kubernetes
    group: 'kubernetes',
    package: 'svc.dev/servers/kubernetes/coredns', // the wrapper module's own main package: the few plugins in use
    versionArguments: ['-version'],
    buildSeconds: 15,
  },
  'local-path-provisioner': {
    version: '0.0.30',
    group: 'kubernetes',
    package: 'github.com/rancher/local-path-provisioner',
    variables: ['main.VERSION=v0.0.30'],
    versionArguments: ['--version'],
    buildSeconds: 5,
  },
  containerd: containerd('containerd', 50),
  'containerd-shim-runc-v2': containerd('containerd-shim-runc-v2', 5, ['-v']),
  registry: {
    version: '3.1.2',
    group: 'registry',
    package: 'svc.dev/servers/registry', // the wrapper module's own main package: without the storage of four clouds
    variables: ['github.com/distribution/distribution/v3/version.version=v3.1.2'],
    versionArguments: ['--version'],
    buildSeconds: 25,
  },
  rqlited: {
    version: '8.36.0',
    group: 'rqlite',
    package: 'github.com/rqlite/rqlite/v8/cmd/rqlited',
    variables: ['github.com/rqlite/rqlite/v8/cmd.Version=v8.36.0'],
    tags: 'osusergo,netgo',
    partsInC: true,
    versionArguments: ['-version'],
    buildSeconds: 80,
  },
  traefik: {
    version: '3.6.12',
    group: 'traefik',
    package: 'github.com/traefik/traefik/v3/cmd/traefik',
    variables: ['github.com/traefik/traefik/v3/pkg/version.Version=3.6.12'],
    // Without the clients of clouds, half of the program. Its archive lacks its own web pages; the build embeds the
    // files that exist.
    altered: [
      {
        module: 'github.com/traefik/traefik/v3',
        files: {
          'webui/static/index.html': '_instead/index.html',
          'pkg/provider/ecs/ecs.go': '_instead/ecs.go',
          'pkg/provider/ecs/config.go': '',
          'pkg/provider/ecs/label.go': '',
        },
      },
      {
        module: 'github.com/go-acme/lego/v4',
        files: { 'providers/dns/zz_gen_dns_providers.go': '_instead/dns-providers.go' },
      },
    ],
    versionArguments: ['version'],
    buildSeconds: 180,
  },
  'keda-interceptor': {
    version: '0.15.0',
    group: 'keda-http',
    package: 'github.com/kedacore/http-add-on/interceptor',
    versionArguments: ['-version'], // which it does not know: none on the PATH is taken
    buildSeconds: 90,
  },
  'keda-http-scaler': {
    version: '0.15.0',
    group: 'keda-http',
    package: 'github.com/kedacore/http-add-on/scaler',
    versionArguments: ['-version'], // which it does not know: none on the PATH is taken
    buildSeconds: 10,
  },
  'keda-operator': {
    version: kedaVersion,
    group: 'keda',
    package: 'github.com/kedacore/keda/v2/cmd/operator',
    variables: [`github.com/kedacore/keda/v2/version.Version=${kedaVersion}`],
    versionArguments: ['--version'], // which it does not know: none on the PATH is taken
    buildSeconds: 500,
  },
  'keda-metrics': {
    version: kedaVersion,
    group: 'keda',
    package: 'github.com/kedacore/keda/v2/cmd/adapter',
    variables: [`github.com/kedacore/keda/v2/version.Version=${kedaVersion}`],
    versionArguments: ['--version'], // as well
    buildSeconds: 20,
  },
  'cloudnativepg-operator': {
    version: '1.25.0',
    group: 'cloudnative-pg',
    package: 'github.com/cloudnative-pg/cloudnative-pg/cmd/manager',
    versionArguments: ['version'],
    buildSeconds: 100,
  },
  'victoria-metrics': {
    version: victoriaMetricsVersion,
    group: 'victoria-metrics',
    package: 'github.com/VictoriaMetrics/VictoriaMetrics/app/victoria-metrics',
    variables: [
      `github.com/VictoriaMetrics/VictoriaMetrics/lib/buildinfo.Version=victoria-metrics-v${victoriaMetricsVersion}`,
    ],
    versionArguments: ['-version'],
    buildSeconds: 20,
    download: victoriaMetricsDownload,
  },
  loki: {
    version: lokiVersion,
    group: 'loki',
    package: 'github.com/grafana/loki/v3/cmd/loki',
    variables: [`github.com/grafana/loki/v3/pkg/util/build.Version=${lokiVersion}`],
    versionArguments: ['-version'],
    buildSeconds: 375,
    download: lokiDownload,
  },
  'log-collector': {
    version: '0.160.0', // of the OpenTelemetry Collector
    group: 'log-collector',
    package: 'svc.dev/servers/log-collector', // the wrapper module's own main package: the few components that are used
    variables: ['main.version=0.160.0'],
    versionArguments: ['--version'],
    buildSeconds: 75,
  },
  prometheus: {
    version: '3.13.5',
    group: 'prometheus',
    package: 'github.com/prometheus/prometheus/cmd/prometheus',
    variables: ['github.com/prometheus/common/version.Version=3.13.5'],
    // without the service discovery of two dozen clouds: its targets come from its file
    tags: 'remove_all_sd',
    alsoTaken: ['2.42.0'], // Debian's; the query API is the same
    versionArguments: ['--version'],
    buildSeconds: 150,
  },
  minio: {
    // its publisher no longer tags releases: the time of the pinned commit
    version: '2026-02-12T20-18-48Z',
    group: 'minio',
    package: 'github.com/minio/minio',
    variables: [
      'Version=2026-02-12T20:18:48Z',
      'ReleaseTag=DEVELOPMENT.2026-02-12T20-18-48Z',
      'CommitID=7aac2a2c5b7c',
      'ShortCommitID=7aac2a2c5b7c',
    ].map((setting) => `github.com/minio/minio/cmd.${setting}`),
    // A server on one machine moves no objects to the stores of clouds, whose clients are a quarter of the program.
    altered: [
      {
        module: 'github.com/minio/minio',
        files: {
          'cmd/warm-backend-gcs.go': '_instead/warm-backend-gcs.go',
          'cmd/warm-backend-azure.go': '_instead/warm-backend-azure.go',
        },
      },
    ],
    versionArguments: ['--version'],
    buildSeconds: 140,
  },
  buildctl: buildkit('buildctl', 75),
  buildkitd: buildkit('buildkitd', 80),
  rootlesskit: {
    version: '2.3.6',
    group: 'buildkit',
    package: 'github.com/rootless-containers/rootlesskit/v2/cmd/rootlesskit',
    versionArguments: ['--version'],
    buildSeconds: 5,
  },
} as const satisfies Record<string, Server>

export type ServerName = keyof typeof servers

export const catalogue: Readonly<Record<string, Server>> = servers
