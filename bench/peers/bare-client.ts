/** The rollout itself: the same objects applied by a connected client that watches, and does nothing else. */
import type { V1Deployment } from '@kubernetes/client-node'
import { connectCluster } from '../../cluster/client.ts'
import type { WatchEvent } from '../../cluster/objects/cluster-client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { healthOf } from '../../kinds/apps/assess/health.ts'
import { applyAll, type Made, makePeerNamespace, readSameObjects } from './same-objects.ts'

const namespace = 'bench-bare'
const name = 'peer'
const readyWithinMs = 120_000
const watchMs = 3_600_000

type Deployment = Sent<V1Deployment>

export interface BareClient {
  /** Applies all objects at once; resolves with the milliseconds until svc's own rule calls the Deployment ready. */
  deploy(image: string): Promise<number>
  close(): Promise<void>
}

/** Copies what svc made into a namespace of its own, and watches the Deployment there. */
export async function createBareClient(kubeconfig: string, made: Made): Promise<BareClient> {
  const client = connectCluster({ kubeconfig })
  const objects = await readSameObjects(client, made, name)
  await makePeerNamespace(client, namespace, objects)
  const ending = new AbortController()
  const { resourceVersion } = await client.list<Deployment>(coreTypes.deployment, { namespace })
  const events = await client.watch<Deployment>(coreTypes.deployment, {
    namespace,
    resourceVersion,
    timeoutSeconds: watchMs / 1000,
    silenceMs: watchMs,
    signal: ending.signal,
  })
  const latest = followLatest(events)
  return {
    async deploy(image) {
      const began = performance.now()
      const [applied] = await applyAll(client, namespace, [objects.deployment(image), ...objects.beside])
      const generation = applied?.metadata.generation ?? Number.POSITIVE_INFINITY
      await latest.until((seen) => (seen.metadata.generation ?? 0) >= generation && isReady(seen))
      return performance.now() - began
    },
    async close() {
      ending.abort()
      await client.close()
    },
  }
}

const isReady = (deployment: Deployment): boolean => healthOf(deployment, []).ready

/** The newest object of a watch, and a wait until it is as wanted; a watch that ended fails the wait. */
function followLatest(events: AsyncIterable<WatchEvent<Deployment>[]>) {
  let latest: Deployment | undefined
  let look: () => void = () => undefined
  let broken: Error | undefined
  let fail: (reason: Error) => void = () => undefined
  const follow = async (): Promise<void> => {
    for await (const piece of events)
      for (const { type, object } of piece)
        if (type !== 'BOOKMARK') {
          latest = object
          look()
        }
    throw new Error('the server ended it')
  }
  follow().catch((cause: unknown) => {
    broken = new Error('the watch of the bare client ended', { cause })
    fail(broken)
  })
  return {
    async until(isWanted: (seen: Deployment) => boolean): Promise<void> {
      const late = AbortSignal.timeout(readyWithinMs)
      await new Promise<void>((resolve, reject) => {
        fail = reject
        if (broken !== undefined) reject(broken)
        late.addEventListener('abort', () => reject(new Error('the rollout of the bare client does not end')))
        look = () => {
          if (latest !== undefined && isWanted(latest)) resolve()
        }
        look()
      })
    },
  }
}
