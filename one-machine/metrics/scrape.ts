/** What the metrics store reads: its targets, and the file that names them to it. */
import { loopback } from '../processes/ports.ts'

/** Seconds between two reads of a target. */
const everySeconds = 15

export interface Target {
  /** The label `job` of its series. */
  readonly job: string
  /** `http(s)://host:port/path` in the text format of Prometheus. */
  readonly url: string
  /** A pattern that the whole name of a series matches; the rest is dropped, and kubelets serve thousands. */
  readonly series: string
  /** Paths of PEM files: the authority of the target's certificate, and a login where the target asks for one. */
  readonly tls?: { readonly ca: string; readonly login?: { readonly certificate: string; readonly key: string } }
  /** Only series of pods: cAdvisor has those of the machine and of every cgroup as well. */
  readonly podsOnly?: boolean
}

/** The series that metrics are read from (docs/reference/logs-and-metrics.md#metrics). */
export const seriesRead = {
  cadvisor:
    'container_cpu_usage_seconds_total|container_memory_working_set_bytes|container_network_(transmit|receive)_bytes_total',
  traefik: 'traefik_service_requests_total',
  svc: 'svc_.+',
} as const

/** The processes of svc, by the ports of this machine where they count what they do. */
export const targetsOfSvc = (ports: readonly number[]): Target[] =>
  ports.map((port) => ({ job: `svc-${port}`, url: `http://${loopback}:${port}/metrics`, series: seriesRead.svc }))

/** The file's text. It is YAML for the store, of which JSON is a part. */
export function scrapeFile(targets: readonly Target[]): string {
  const file = {
    global: { scrape_interval: `${everySeconds}s`, scrape_timeout: '10s' },
    scrape_configs: targets.map(describe),
  }
  return `${JSON.stringify(file, undefined, 2)}\n`
}

function describe({ job, url, series, tls, podsOnly }: Target): object {
  const { protocol, host, pathname } = new URL(url)
  const keep = (label: string, regex: string) => ({ source_labels: [label], regex, action: 'keep' })
  return {
    job_name: job,
    scheme: protocol.slice(0, -1),
    metrics_path: pathname,
    static_configs: [{ targets: [host] }],
    ...(tls === undefined ? {} : { tls_config: tlsConfig(tls) }),
    // The kubelet counts every ten seconds or so, and says when: by the time of the read a rate would be off.
    honor_timestamps: true,
    metric_relabel_configs: [keep('__name__', series), ...(podsOnly === true ? [keep('pod', '.+')] : [])],
  }
}

const tlsConfig = ({ ca, login }: NonNullable<Target['tls']>): object => ({
  ca_file: ca,
  ...(login === undefined ? {} : { cert_file: login.certificate, key_file: login.key }),
})
