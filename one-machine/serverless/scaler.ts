/**
 * In the place of KEDA's core on one machine: reads what the interceptor of its HTTP add-on counts, and scales the
 * copies of services that sleep when idle, by the same objects as KEDA does.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { request } from 'undici'
import { ResourceCache } from '../../cluster/cache/cache.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import { isLostRace } from '../../cluster/objects/errors.ts'
import { silentLog } from '../../cluster/objects/log.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { sleepRequestsPerCopy } from '../../contract/process-limits.ts'
import { sleepTypes } from '../../kinds/meta/resource-types.ts'
import { copiesWanted, type Requests, type Seen, seenNow } from './copies.ts'

/** A waiting request is seen this late at most. */
const lookEveryMs = 250
const answerWithinMs = 5_000

type Scaler = KubeObject & {
  spec: { minReplicaCount?: number; maxReplicaCount?: number; cooldownPeriod?: number }
}
type Scaled = KubeObject & { spec?: { replicas?: number } }

export interface ScalerOptions {
  client: ClusterClient
  /** The interceptor's admin API, `http://host:port`. */
  interceptor: string
  /** Receives a line when it cannot do its work, and when it can again. */
  say: (line: string) => void
}

/** Resolves when it scales. */
export async function startScaler({ client, interceptor, say }: ScalerOptions): Promise<{ stop(): Promise<void> }> {
  const labelSelector = `${labels.managedBy}=${managedBySvc}`
  const scalers = new ResourceCache<Scaler>({ client, type: sleepTypes.scaler, labelSelector, log: silentLog })
  const deployments = new ResourceCache<Scaled>({ client, type: coreTypes.deployment, labelSelector, log: silentLog })
  await Promise.all([scalers.start(), deployments.start()])
  const stopper = new AbortController()
  const seen = new Map<string, Seen>()
  let trouble = ''
  const look = async (): Promise<void> => {
    const queue = await readQueue(interceptor)
    const now = performance.now()
    const scaling = scalers.list().filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    const known = new Set(scaling.map(objectKey))
    for (const key of seen.keys()) if (!known.has(key)) seen.delete(key)
    await Promise.all(
      scaling.map(async (scaler) => {
        const key = objectKey(scaler)
        const state = seenNow(seen.get(key), queue[key] ?? noRequests, now)
        seen.set(key, state)
        const { name, namespace } = scaler.metadata
        const deployment = deployments.get(name, namespace)
        if (deployment === undefined) return
        const copies = deployment.spec?.replicas ?? 1
        const wanted = copiesWanted(copies, boundsOf(scaler), state, now)
        if (wanted !== copies) deployments.put(await scale(client, deployment, wanted))
      }),
    )
  }
  const loop = async (): Promise<void> => {
    while (!stopper.signal.aborted) {
      try {
        await look()
        if (trouble !== '') say('services that sleep are woken again')
        trouble = ''
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        // Another writer was first: the next look sees what it wrote.
        if (!isLostRace(error) && message !== trouble) say(`services that sleep are not woken: ${(trouble = message)}`)
      }
      await delay(lookEveryMs, undefined, { signal: stopper.signal }).catch(() => undefined) // stopped
    }
  }
  const running = loop()
  return {
    stop: async () => {
      stopper.abort()
      await running
      await Promise.all([scalers.stop(), deployments.stop()])
    },
  }
}

const noRequests: Requests = { Concurrency: 0, RequestCount: 0 }

/** As the interceptor names a route. */
const objectKey = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`

const boundsOf = ({ spec }: Scaler) => ({
  least: spec.minReplicaCount ?? 0,
  most: spec.maxReplicaCount ?? 1,
  idleSeconds: spec.cooldownPeriod ?? 300,
  requestsPerCopy: sleepRequestsPerCopy,
})

async function readQueue(interceptor: string): Promise<Record<string, Requests>> {
  const { body, statusCode } = await request(`${interceptor}/queue`, {
    headersTimeout: answerWithinMs,
    bodyTimeout: answerWithinMs,
  })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`the interceptor answers ${statusCode}`)
  return JSON.parse(text) as Record<string, Requests> // by its source
}

/** On condition of what was read, so that the number of another writer is never overwritten unseen. */
async function scale(client: ClusterClient, { metadata }: Scaled, replicas: number): Promise<Scaled> {
  const { name, namespace = '', resourceVersion } = metadata
  const ref = { type: coreTypes.deployment, namespace, name }
  await client.patch(ref, { metadata: { resourceVersion }, spec: { replicas } }, { subresource: 'scale' })
  const written = await client.get<Scaled>(ref)
  return written ?? { apiVersion: 'apps/v1', kind: 'Deployment', metadata }
}
