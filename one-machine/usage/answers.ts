/** The answers of the resource metrics API of Kubernetes, `metrics.k8s.io/v1beta1`. */
import type { Use } from './readings.ts'
import { defined } from '../../contract/defined.ts'

export const group = 'metrics.k8s.io'
const version = 'v1beta1'
const apiVersion = `${group}/${version}`
export const root = `/apis/${apiVersion}`

export interface Named {
  readonly name: string
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
}

const quantities = ({ cores, bytes }: Use) => ({
  cpu: `${Math.round(cores * 1e9)}n`,
  memory: `${Math.ceil(bytes / 1024)}Ki`,
})

const metadata = ({ name, namespace, labels }: Named, at: string) => ({
  name,
  ...defined({ namespace, labels }),
  creationTimestamp: at,
})

/** Whole seconds, as Kubernetes writes times. */
const time = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
const duration = (seconds: number): string => `${seconds.toFixed(3)}s`

export function nodeMetrics(node: Named, use: Use): object {
  const at = time(use.at)
  const window = duration(use.windowSeconds)
  return {
    kind: 'NodeMetrics',
    apiVersion,
    metadata: metadata(node, at),
    timestamp: at,
    window,
    usage: quantities(use),
  }
}

/** Undefined for a pod of which nothing is known yet: callers take such pods for unready, not for idle. */
export function podMetrics(pod: Named, uses: ReadonlyMap<string, Use>): object | undefined {
  const latest = [...uses.values()].toSorted((a, b) => b.at - a.at)[0]
  if (latest === undefined) return undefined
  const at = time(latest.at)
  const containers = [...uses].map(([name, use]) => ({ name, usage: quantities(use) }))
  const window = duration(latest.windowSeconds)
  return { kind: 'PodMetrics', apiVersion, metadata: metadata(pod, at), timestamp: at, window, containers }
}

export const listOf = (kind: 'NodeMetrics' | 'PodMetrics', items: readonly object[]): object => ({
  kind: `${kind}List`,
  apiVersion,
  metadata: {},
  items,
})

/** What the API server asks to learn what is served here, and whether it is served at all. */
export const discovery: Readonly<Record<string, object>> = {
  [`/apis/${group}`]: {
    kind: 'APIGroup',
    apiVersion: 'v1',
    name: group,
    versions: [{ groupVersion: apiVersion, version }],
    preferredVersion: { groupVersion: apiVersion, version },
  },
  [root]: {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersion,
    resources: [
      { name: 'nodes', singularName: '', namespaced: false, kind: 'NodeMetrics', verbs: ['get', 'list'] },
      { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] },
    ],
  },
}

/** A refusal as Kubernetes writes it. */
export const failure = (code: number, reason: string, message: string): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  code,
})
