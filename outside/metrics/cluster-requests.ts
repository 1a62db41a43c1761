/** Measures a process's calls of the Kubernetes API, in the form for a metrics store. */
import { Gauge, Histogram, type Registry } from 'prom-client'

/** Upper bounds of a histogram's buckets, in seconds. */
export const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** Watches are not counted: their answer begins at once, and their duration is no latency. */
const unmeasured = new Set(['watch', 'stream'])

/** For `connectCluster`: adds `svc_cluster_request_seconds` to the registry. */
export function measureClusterRequests(
  registry: Registry,
): (verb: string, resource: string, status: number, ms: number) => void {
  const requests = new Histogram({
    name: 'svc_cluster_request_seconds',
    help: 'Calls to the Kubernetes API.',
    labelNames: ['verb', 'resource', 'status'],
    buckets: secondsBuckets,
    registers: [registry],
  })
  return (verb, resource, status, ms) => {
    if (!unmeasured.has(verb)) requests.observe({ verb, resource, status }, ms / 1000)
  }
}

/** The number of seconds by which this machine's clock is ahead of the cluster's. */
export function measureSkew(registry: Registry, clock: { readonly aheadMs: number }): void {
  const skew: Gauge = new Gauge({
    name: 'svc_clock_skew_seconds',
    help: "Seconds by which the clock of this machine is ahead of the cluster's.",
    registers: [registry],
    collect: () => skew.set(clock.aheadMs / 1000),
  })
}
