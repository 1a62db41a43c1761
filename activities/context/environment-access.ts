/**
 * Whether this worker may work in the namespace of an environment; where it may not yet, it makes the bindings that let
 * it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { bindEnvironment } from '../../records/projects/environment-bindings.ts'

/** False: not yet, ask again. The caller has made sure that the namespace belongs to its project. */
export type EnvironmentAccess = (namespace: KubeObject) => Promise<boolean>

const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
const answered = z.object({ status: z.object({ allowed: z.boolean() }) })
/** A binding counts a moment after it was made: the cluster's authorizer learns of it by a watch. */
const tries = 20
const pauseMs = 50
/** How long an answer is valid: passes of one deploy come within seconds, and a removed binding is made again. */
const goodMs = 30_000

/** Memoizes by uid, so that a namespace made anew is asked about anew. */
export function createEnvironmentAccess(client: ClusterClient, now: () => number): EnvironmentAccess {
  const allowedAt = new Map<string, number>()
  return async (namespace) => {
    const { name, uid = '' } = namespace.metadata
    for (const [known, at] of allowedAt) if (now() - at > goodMs) allowedAt.delete(known)
    if (allowedAt.has(uid)) return true
    let allowed = await mayWork(client, name)
    if (!allowed) {
      await bindEnvironment(client, namespace)
      for (let left = tries; left > 0 && !allowed; left -= 1) {
        await sleep(pauseMs)
        allowed = await mayWork(client, name)
      }
    }
    if (allowed) allowedAt.set(uid, now())
    return allowed
  }
}

/** Asked about the right that the binding alone gives. */
async function mayWork(client: ClusterClient, namespace: string): Promise<boolean> {
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { namespace, verb: 'create', resource: 'secrets' } },
  }
  const answer = await client.raw('POST', reviews, { body, contentType: 'application/json' })
  return answered.parse(JSON.parse(answer)).status.allowed
}
