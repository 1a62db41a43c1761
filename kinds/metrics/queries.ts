/** The queries to the metrics store: PromQL over the metrics of kubelets (cAdvisor), of Traefik, and of svc itself. */
import { volumeFullPercent } from '../../contract/limits.ts'

/** From the name of a series to its query. */
export type Queries = Readonly<Record<string, string>>

/** The least range of a rate: four scrapes of the usual half minute. */
const rateSeconds = 120
const usedSeconds = 300

/** The range of a rate for points that are `step` seconds apart: no sample between two points is lost. */
const back = (step: number): string => `[${Math.max(step, rateSeconds)}s]`

/** Copies of a Deployment: `<name>-<template hash>-<5 characters>`. */
const podsOfDeployment = (name: string): string => `${pattern(name)}-[a-z0-9]+-[a-z0-9]{5}`
/** Instances of a StatefulSet or of a CloudNativePG cluster: `<name>-<number>`. */
const podsOfSet = (name: string): string => `${pattern(name)}-[0-9]+`

const namespaceIs = (namespace: string): string => `namespace="${namespace}"`

/** CPU in cores, memory in bytes, network in bytes a second, requests a second; bytes on the volume of `claim`. */
export function serviceQueries(namespace: string, name: string, step: number, claim?: string): Queries {
  const upstream = `"${pattern(namespace)}-${pattern(name)}-[a-z0-9]+@kubernetes"`
  const requests = (label: string) => `rate(traefik_service_requests_total{${label}=~${upstream}}${back(step)})`
  return {
    ...podQueries(`${namespaceIs(namespace)},pod=~"${podsOfDeployment(name)}"`, step),
    // Scraping through a Service moves Traefik's own label `service` aside.
    requests: `sum(${requests('exported_service')} or ${requests('service')})`,
    ...(claim === undefined ? {} : { storage: bytesOn(`${namespaceIs(namespace)},persistentvolumeclaim="${claim}"`) }),
  }
}

/** As `serviceQueries`, without requests and with the bytes on its volumes. */
export function databaseQueries(namespace: string, name: string, step: number): Queries {
  const volumes = `${namespaceIs(namespace)},persistentvolumeclaim=~"(.+-)?${podsOfSet(name)}"`
  return {
    ...podQueries(`${namespaceIs(namespace)},pod=~"${podsOfSet(name)}"`, step),
    storage: bytesOn(volumes),
  }
}

const bytesOn = (volumes: string): string => `sum(kubelet_volume_stats_used_bytes{${volumes}})`

/** All pods of a project, or of one environment of it. */
export function projectQueries(project: string, environment: string | undefined, step: number): Queries {
  return podQueries(
    environment === undefined ? `namespace=~"${pattern(project)}-.+"` : namespaceIs(`${project}-${environment}`),
    step,
  )
}

/**
 * All pods of the cluster. Network of kube-system is left out: its pods share the network of their node, which would be
 * counted many times.
 */
export function clusterQueries(step: number): Queries {
  return podQueries('pod!=""', step, 'pod!="",namespace!="kube-system"')
}

/** CPU that all pods use now, in cores. */
export const coresUsed = `sum(rate(container_cpu_usage_seconds_total{pod!="",container!=""}[${usedSeconds}s]))`

/** What each namespace uses now: cores and bytes. */
export const usedByNamespace = {
  cpu: `sum by (namespace) (rate(container_cpu_usage_seconds_total{pod!="",container!=""}[${usedSeconds}s]))`,
  memory: 'sum by (namespace) (container_memory_working_set_bytes{pod!="",container!=""})',
  storage: 'sum by (namespace) (kubelet_volume_stats_used_bytes)',
} as const

/** Volumes that are almost full, each with the used share. */
export const fullVolumes = `max by (namespace, persistentvolumeclaim) (kubelet_volume_stats_used_bytes / kubelet_volume_stats_capacity_bytes) >= ${volumeFullPercent / 100}`

/**
 * The state of svc's own processes: passes of activities (failures a second, p95 in seconds), calls of the Kubernetes
 * API (p95 in seconds, calls a second), wakes that wait for Temporal, and status writes a second, made and skipped.
 */
export function operatorQueries(step: number): Queries {
  const rate = (metric: string) => `rate(${metric}${back(step)})`
  const p95 = (metric: string) => `histogram_quantile(0.95, sum by (le) (${rate(`${metric}_bucket`)}))`
  return {
    reconcileErrors: `sum(${rate('svc_reconcile_errors_total')})`,
    reconcileTime: p95('svc_reconcile_seconds'),
    apiLatency: p95('svc_cluster_request_seconds'),
    apiRequests: `sum(${rate('svc_cluster_request_seconds_count')})`,
    queueDepth: 'sum(svc_queue_depth)',
    statusWrites: `sum(${rate('svc_status_writes_total')})`,
    statusSkipped: `sum(${rate('svc_status_skipped_total')})`,
  }
}

/** cAdvisor reports the sum of a pod with an empty container label, and its network without that label. */
function podQueries(selector: string, step: number, networkSelector = selector): Queries {
  return {
    cpu: `sum(rate(container_cpu_usage_seconds_total{${selector},container!=""}${back(step)}))`,
    memory: `sum(container_memory_working_set_bytes{${selector},container!=""})`,
    network: `sum(rate(container_network_transmit_bytes_total{${networkSelector}}${back(step)}))`,
    networkIn: `sum(rate(container_network_receive_bytes_total{${networkSelector}}${back(step)}))`,
  }
}

/** The name of a Kubernetes object in a pattern: only the dot has to be escaped. */
function pattern(name: string): string {
  return name.replaceAll('.', '\\\\.')
}
