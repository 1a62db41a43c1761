/**
 * Whether the cluster has capacity for a deploy: an answer that can still be a 400
 * (docs/reference/deployments.md#capacity).
 */
import { admits, anyNode, type NodeChoice, choiceText } from '../../placement/node-choice.ts'
import type { TaggedNode } from '../../placement/node-tags.ts'
import { bytes, cpuMillis } from '../../pods/quantity.ts'

export interface Capacity {
  cpuMillis: number
  memoryBytes: number
}

export interface NodeView extends TaggedNode {
  spec?: { unschedulable?: boolean; taints?: { key: string; effect: string; value?: string }[] }
  status?: { allocatable?: Record<string, string>; conditions?: { type: string; status: string }[] }
}

export interface PodRequestView {
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; deletionTimestamp?: string }
  spec?: { nodeName?: string; containers?: { resources?: { requests?: Record<string, string> } }[] }
  status?: { phase?: string }
}

/** Capacity promised to an accepted deploy whose pods do not exist yet. */
export interface Reservation extends Capacity {
  attempt: string
  app: string
  /** Milliseconds since 1970; a reservation that no process released ends by itself then. */
  expiresAt: number
}

export interface CapacityQuestion {
  app: string
  copies: number
  perCopy: Capacity
  nodes: readonly NodeView[]
  pods: readonly PodRequestView[]
  reservations: readonly Reservation[]
  /** The pods that the deploy replaces: only the difference counts. */
  isOwnPod: (pod: PodRequestView) => boolean
  /** Which nodes the copies may run on; any when left out. */
  choice?: NodeChoice
  now: number
}

export type CapacityAnswer = { fits: true; reserve: Capacity } | { fits: false; message: string }

/** Refused when capacity is unknown, when one copy exceeds every node, or when the sum does not fit. */
export function capacityFor(question: CapacityQuestion): CapacityAnswer {
  const choice = question.choice ?? anyNode
  const nodes = question.nodes.filter((node) => takesPods(node) && admits(choice, node))
  if (nodes.length === 0)
    return { fits: false, message: `the cluster has no capacity: no node${choiceText(choice)} is ready to take copies` }
  const live = question.pods.filter(isLive)
  const own = sum(live.filter(question.isOwnPod).map(requestOf))
  const wanted = times(question.perCopy, question.copies)
  const reserve = {
    cpuMillis: Math.max(0, wanted.cpuMillis - own.cpuMillis),
    memoryBytes: Math.max(0, wanted.memoryBytes - own.memoryBytes),
  }
  if (question.copies === 0) return { fits: true, reserve }

  const byNode = new Map<string, PodRequestView[]>()
  for (const pod of live) {
    const node = pod.spec?.nodeName
    if (node === undefined || question.isOwnPod(pod)) continue
    const there = byNode.get(node)
    if (there === undefined) byNode.set(node, [pod])
    else there.push(pod)
  }
  const free = nodes.map((node) => minus(allocatable(node), sum((byNode.get(node.metadata.name) ?? []).map(requestOf))))
  if (
    !free.some(
      (capacity) =>
        question.perCopy.cpuMillis <= capacity.cpuMillis && question.perCopy.memoryBytes <= capacity.memoryBytes,
    )
  ) {
    return {
      fits: false,
      message: `the cluster has no capacity: no node has ${said(question.perCopy)} free for one copy`,
    }
  }
  const others = question.reservations.filter((held) => held.app !== question.app && held.expiresAt > question.now)
  const waiting = live.filter((pod) => pod.spec?.nodeName === undefined && !question.isOwnPod(pod))
  const left = minus(sum(free), sum([...others, ...waiting.map(requestOf)]))
  if (wanted.cpuMillis > left.cpuMillis || wanted.memoryBytes > left.memoryBytes) {
    return {
      fits: false,
      message: `the cluster has no capacity: ${said(wanted)} needed, ${said({ cpuMillis: Math.max(0, left.cpuMillis), memoryBytes: Math.max(0, left.memoryBytes) })} free`,
    }
  }
  return { fits: true, reserve }
}

/** What one copy asks for, from the resources of its spec (requests). */
export function capacityOf(requests: Record<string, string> | undefined): Capacity {
  return { cpuMillis: cpuMillis(requests?.['cpu']), memoryBytes: bytes(requests?.['memory']) }
}

/** What these pods ask for together, those that ended or are ending left out. */
export function podsRequests(pods: readonly PodRequestView[]): Capacity {
  return sum(pods.filter(isLive).map(requestOf))
}

/** What the nodes that take pods can give together. */
export function nodesCapacity(nodes: readonly NodeView[]): Capacity {
  return sum(nodes.filter(takesPods).map(allocatable))
}

function isLive(pod: PodRequestView): boolean {
  return (
    pod.metadata.deletionTimestamp === undefined && pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed'
  )
}

function takesPods(node: NodeView): boolean {
  if (node.spec?.unschedulable === true) return false
  if (
    node.spec?.taints?.some((taint) => taint.effect === 'NoExecute' || taint.key.startsWith('node.kubernetes.io/')) ===
    true
  )
    return false
  return (
    node.status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true
  )
}

function allocatable(node: NodeView): Capacity {
  return capacityOf(node.status?.allocatable)
}

/** The requests of each pod, summed once: every deploy asks for them, and cached pods are never changed in place. */
const requests = new WeakMap<PodRequestView, Capacity>()

function requestOf(pod: PodRequestView): Capacity {
  const known = requests.get(pod) ?? addedRequests(pod)
  requests.set(pod, known)
  return known
}

function addedRequests(pod: PodRequestView): Capacity {
  return sum((pod.spec?.containers ?? []).map((container) => capacityOf(container.resources?.requests)))
}

function sum(capacities: readonly Capacity[]): Capacity {
  return capacities.reduce<Capacity>(
    (total, capacity) => ({
      cpuMillis: total.cpuMillis + capacity.cpuMillis,
      memoryBytes: total.memoryBytes + capacity.memoryBytes,
    }),
    {
      cpuMillis: 0,
      memoryBytes: 0,
    },
  )
}

function minus(a: Capacity, b: Capacity): Capacity {
  return { cpuMillis: a.cpuMillis - b.cpuMillis, memoryBytes: a.memoryBytes - b.memoryBytes }
}

function times(capacity: Capacity, factor: number): Capacity {
  return { cpuMillis: capacity.cpuMillis * factor, memoryBytes: capacity.memoryBytes * factor }
}

function said(capacity: Capacity): string {
  return `${capacity.cpuMillis}m CPU and ${Math.ceil(capacity.memoryBytes / 2 ** 20)}Mi memory`
}
