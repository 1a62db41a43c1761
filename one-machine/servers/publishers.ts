/** Where publishers offer the executables of servers: their addresses, each with its pinned sum. */
import { defined } from '../../contract/defined.ts'
import { pins } from './pins.ts'
import type { Download } from './server.ts'

export const kubernetesVersion = '1.36.3'
export const victoriaMetricsVersion = '1.122.0'
export const lokiVersion = '3.7.8'

/** dl.k8s.io has one executable per program; programs for macOS: kubectl only. */
export function kubernetesDownload(name: string) {
  return (platform: string, arch: string): Download | undefined => {
    if (platform !== 'linux' && name !== 'kubectl') return undefined
    const url = `https://dl.k8s.io/release/v${kubernetesVersion}/bin/${platform}/${arch}/${name}`
    return { url, sha256: pins[url], checksumUrl: `${url}.sha256` }
  }
}

export function etcdDownload(platform: string, arch: string): Download | undefined {
  if (platform !== 'linux') return undefined // the archive for macOS is a zip
  const folder = `etcd-v3.6.8-${platform}-${arch}`
  const release = 'https://github.com/etcd-io/etcd/releases/download/v3.6.8'
  const url = `${release}/${folder}.tar.gz`
  return { url, sha256: pins[url], checksumUrl: `${release}/SHA256SUMS`, member: `${folder}/etcd` }
}

export function victoriaMetricsDownload(platform: string, arch: string): Download | undefined {
  const name = `victoria-metrics-${platform}-${arch}-v${victoriaMetricsVersion}`
  const release = `https://github.com/VictoriaMetrics/VictoriaMetrics/releases/download/v${victoriaMetricsVersion}`
  const url = `${release}/${name}.tar.gz`
  return { url, sha256: pins[url], checksumUrl: `${release}/${name}_checksums.txt`, member: 'victoria-metrics-prod' }
}

/** For publishers whose own lists of sums are not used. */
type OfMachine = (platform: string, arch: string) => string

function pinnedDownload(urlOf: OfMachine, memberOf?: OfMachine) {
  return (platform: string, arch: string): Download | undefined => {
    const url = urlOf(platform, arch)
    const member = memberOf?.(platform, arch)
    return pins[url] === undefined ? undefined : { url, sha256: pins[url], ...defined({ member }) }
  }
}

export const kwokDownload = pinnedDownload(
  (platform, arch) => `https://github.com/kubernetes-sigs/kwok/releases/download/v0.8.0/kwok-${platform}-${arch}`,
)
export const temporalDownload = pinnedDownload(
  (platform, arch) =>
    `https://github.com/temporalio/cli/releases/download/v1.5.1/temporal_cli_1.5.1_${platform}_${arch}.tar.gz`,
  () => 'temporal',
)

export const lokiDownload = pinnedDownload(
  (platform, arch) => `https://github.com/grafana/loki/releases/download/v${lokiVersion}/loki-${platform}-${arch}.zip`,
  (platform, arch) => `loki-${platform}-${arch}`,
)
