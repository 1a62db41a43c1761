/**
 * Keeps two deploys from taking the same capacity: reservations in one ConfigMap, written on condition of its version.
 */
import type { V1ConfigMap } from '@kubernetes/client-node'
import { z } from 'zod'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { crowded, onConflict } from '../store/retry.ts'
import { defined } from '../../contract/defined.ts'
import { capacityReservationSeconds } from '../../contract/limits.ts'
import { refuse } from '../../contract/problem.ts'
import { labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import {
  type Capacity,
  capacityFor,
  capacityOf,
  type NodeView,
  type PodRequestView,
  podsRequests,
} from '../../kinds/apps/deploy/capacity.ts'
import type { AppSpec } from '../../kinds/apps/kind.ts'
import { wantedCopies } from '../../kinds/apps/assess/health.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { parseList } from '../../kinds/meta/parse-list.ts'
import { type NodeChoice, withTags } from '../../kinds/placement/node-choice.ts'
import type { CapacityRequest } from '../place/capacity-needs.ts'

export interface CapacityReserver {
  /**
   * Reserves the capacity that the copies of a deploy need beyond the running ones. Throws Problem invalid_request when
   * the cluster is short of it. Another call for the same service replaces its reservation.
   */
  reserve(app: string, wanted: AppSpec, attempt: string): Promise<void>
  /** As `reserve`, for databases and the like; `owner` is the uid in the owner label of their pods. */
  reserveCapacity(owner: string, wanted: CapacityRequest, attempt: string): Promise<void>
  /**
   * What deploys of these would need, one after the other, by the current reservations and pods. Nothing is reserved,
   * so a deploy that is accepted meanwhile comes first.
   */
  foresee(asked: readonly AskedCapacity[]): Promise<Foreseen[]>
}

/** `owner` as the labels of the pods have it: the name of a service, the uid of any other record. */
export interface AskedCapacity {
  owner: string
  wanted: CapacityRequest
}

export interface Foreseen {
  /** Capacity beyond what its own copies have now. */
  more: Capacity
  /** The refusal of a deploy for which there is no capacity. */
  refusal?: string
}

export interface ReserverNeeds {
  client: ClusterClient
  nodes: () => readonly NodeView[]
  pods: () => readonly PodRequestView[]
  /** Which nodes the pods of a project may run on. */
  choiceOf: (project: string) => NodeChoice
  /** Milliseconds since 1970. */
  now: () => number
}

/** What all copies of an accepted deploy need together; `outstanding` subtracts those that exist when it is read. */
const promised = z.object({
  attempt: z.string(),
  app: z.string(),
  /** Namespace of the copies that are to come: after a move, copies that still run in the old one do not count. */
  namespace: z.string().optional(),
  cpuMillis: z.number().min(0),
  memoryBytes: z.number().min(0),
  expiresAt: z.number(),
})
type Promised = z.output<typeof promised>

interface Request {
  app: string
  wanted: CapacityRequest
  attempt: string
  resolve: () => void
  reject: (error: unknown) => void
}

interface Held {
  object: ConfigMap | undefined
  promises: readonly Promised[]
  live: boolean
}

type ConfigMap = Sent<V1ConfigMap>

export const reservationsName = 'svc-reservations'

/** One per process. Requests that arrive while a write is under way are decided together in the next one. */
export function createCapacityReserver(needs: ReserverNeeds): CapacityReserver {
  let waiting: Request[] = []
  let busy = false
  let known: Held | undefined

  const work = async (): Promise<void> => {
    busy = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      await decide(batch).catch((error: unknown) => {
        known = undefined
        for (const request of batch) request.reject(error)
      })
    }
    busy = false
  }

  const decide = async (batch: readonly Request[]): Promise<void> => {
    const judged = async () => {
      const held = known === undefined ? await readPromises(needs.client) : { ...known, live: false }
      known = undefined
      return { held, verdict: judge(needs, batch, held.promises) }
    }
    const decideOn = async () => {
      const first = await judged()
      // The cached reservations may be outdated: those of another process may have ended.
      return first.verdict.refused.size > 0 && !first.held.live ? judged() : first
    }
    const { refused } = await onConflict(crowded, decideOn, async ({ held, verdict }) => {
      known = verdict.changed ? await writePromises(needs.client, held, verdict.promises) : held
      return verdict
    })
    for (const request of batch) {
      const refusal = refused.get(request)
      if (refusal === undefined) request.resolve()
      else request.reject(refuse(refusal))
    }
  }

  const reserveCapacity = (app: string, wanted: CapacityRequest, attempt: string): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ app, wanted, attempt, resolve, reject })
      if (!busy) void work()
    })
  return {
    reserve: (app, wanted, attempt) => reserveCapacity(app, capacityWanted(wanted), attempt),
    reserveCapacity,
    foresee: async (asked) => {
      const { promises } = await readPromises(needs.client)
      const none = (): void => undefined
      const batch = asked.map(({ owner, wanted }) => ({ app: owner, wanted, attempt: '', resolve: none, reject: none }))
      const { refused } = judge(needs, batch, promises)
      const pods = Map.groupBy(needs.pods(), appOf)
      return batch.map((request) => ({
        more: moreThanOwn(request.wanted, pods.get(request.app) ?? []),
        ...defined({ refusal: refused.get(request) }),
      }))
    },
  }
}

function moreThanOwn({ perCopy, copies, namespace }: CapacityRequest, ownPods: readonly PodRequestView[]): Capacity {
  const { cpuMillis, memoryBytes } = perCopy
  return outstanding({ cpuMillis: cpuMillis * copies, memoryBytes: memoryBytes * copies, namespace }, ownPods)
}

interface Verdict {
  promises: readonly Promised[]
  refused: Map<Request, string>
  changed: boolean
}

/** Decides the requests one after the other; each sees the reservations of those before. */
function judge(needs: ReserverNeeds, batch: readonly Request[], held: readonly Promised[]): Verdict {
  const now = needs.now()
  const nodes = needs.nodes()
  const pods = needs.pods()
  const podsOf = Map.groupBy(pods, appOf)
  const refused = new Map<Request, string>()
  let promises = held.filter((promise) => promise.expiresAt > now)
  let changed = false
  for (const request of batch) {
    const others = promises.filter((promise) => promise.app !== request.app)
    const { perCopy, copies, namespace } = request.wanted
    const reservations = others.map((promise) => ({
      ...promise,
      ...outstanding(promise, podsOf.get(promise.app) ?? []),
    }))
    const choice = choiceFor(needs, request.wanted)
    const answer = capacityFor({
      app: request.app,
      copies,
      perCopy,
      nodes,
      pods,
      reservations,
      isOwnPod: isPodOf(request.app, namespace),
      choice,
      now,
    })
    if (!answer.fits) {
      refused.set(request, answer.message)
      continue
    }
    if (answer.reserve.cpuMillis === 0 && answer.reserve.memoryBytes === 0) continue
    changed = true
    promises = [
      ...others,
      {
        attempt: request.attempt,
        app: request.app,
        namespace,
        cpuMillis: perCopy.cpuMillis * copies,
        memoryBytes: perCopy.memoryBytes * copies,
        expiresAt: now + capacityReservationSeconds * 1000,
      },
    ]
  }
  return { promises, refused, changed }
}

/** The capacity that the copies of a service need. */
export function capacityWanted(spec: AppSpec): CapacityRequest {
  return {
    project: spec.project,
    namespace: targetNamespace(spec),
    tags: spec.runOn.tags,
    copies: wantedCopies(spec),
    perCopy: capacityOf(spec.resources.requests),
  }
}

function choiceFor({ choiceOf }: ReserverNeeds, { project, tags, region }: CapacityRequest): NodeChoice {
  const choice = withTags(choiceOf(project), tags)
  return region === undefined ? choice : { ...choice, region }
}

/** What of a reservation is still open: each copy that exists by now reduces it. */
function outstanding(
  promise: Pick<Promised, 'cpuMillis' | 'memoryBytes' | 'namespace'>,
  ownPods: readonly PodRequestView[],
): Capacity {
  const there = podsRequests(
    ownPods.filter((pod) => promise.namespace === undefined || pod.metadata.namespace === promise.namespace),
  )
  return {
    cpuMillis: Math.max(0, promise.cpuMillis - there.cpuMillis),
    memoryBytes: Math.max(0, promise.memoryBytes - there.memoryBytes),
  }
}

/** Pods of services have the name of their service in a label; other pods of svc have only the uid of their owner. */
const appOf = ({ metadata }: PodRequestView): string | undefined =>
  metadata.labels?.[labels.app] ?? metadata.labels?.[labels.owner]
const isPodOf =
  (app: string, namespace: string | undefined) =>
  (pod: PodRequestView): boolean =>
    appOf(pod) === app && (namespace === undefined || pod.metadata.namespace === namespace)

/** Unreadable reservations count as none: every reservation ends within a minute anyway. */
async function readPromises(client: ClusterClient): Promise<Held> {
  const object = await client.get<ConfigMap>({
    type: coreTypes.configMap,
    namespace: systemNamespace,
    name: reservationsName,
  })
  return { object, promises: parseList(object?.data?.['promises'], promised), live: true }
}

async function writePromises(client: ClusterClient, { object }: Held, promises: readonly Promised[]): Promise<Held> {
  const data = { promises: JSON.stringify(promises) }
  const metadata = {
    name: reservationsName,
    namespace: systemNamespace,
    labels: { [labels.managedBy]: managedBySvc, [labels.purpose]: 'reservations' },
  }
  const written =
    object === undefined
      ? await client.create<ConfigMap>(coreTypes.configMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data })
      : await client.replace<ConfigMap>(coreTypes.configMap, { ...object, data })
  return { object: written, promises, live: true }
}
