/** Asks a Service of a real node by its address until it answers. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { V1Service } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'

const askEveryMs = 10
const tryMs = 1_000
const answersWithinMs = 120_000

/** Resolves with the moment of the first answer with status 200, of performance.now(). */
export async function firstAnswer(client: ClusterClient, namespace: string, name: string): Promise<number> {
  for (const deadline = performance.now() + answersWithinMs; performance.now() < deadline; await sleep(askEveryMs)) {
    const service = await client.get<Sent<V1Service>>({ type: coreTypes.service, namespace, name })
    const address = service?.spec?.clusterIP
    if (address !== undefined && (await answers(`http://${address}/`))) return performance.now()
  }
  throw new Error(`${name} in ${namespace} does not answer`)
}

const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(tryMs) }).then(
    ({ ok }) => ok,
    () => false, // not up yet
  )
