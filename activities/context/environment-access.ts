/**
 * Whether this worker has its rights in the namespace of an environment; if not yet, it creates the RoleBindings for
 * them.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { bindEnvironment } from '../../records/projects/environment-bindings.ts'

/** False: not yet, call again later. The caller has checked that the namespace belongs to its project. */
export type EnvironmentAccess = (namespace: KubeObject) => Promise<boolean>

const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
const answered = z.object({ status: z.object({ allowed: z.boolean() }) })
/** Checks after a binding was created: the authorizer of the API server learns of it by a watch, a moment later. */
const tries = 20
const pauseMs = 50
/** How long an answer is cached: the passes of one deploy share it, and a removed binding is created again after it. */
const goodMs = 30_000

/** Memoizes by the namespace's uid, so that a namespace that was created anew is checked anew. */
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

/** A SelfSubjectAccessReview for creating Secrets, a right that only the binding gives. */
async function mayWork(client: ClusterClient, namespace: string): Promise<boolean> {
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { namespace, verb: 'create', resource: 'secrets' } },
  }
  const answer = await client.raw('POST', reviews, { body, contentType: 'application/json' })
  return answered.parse(JSON.parse(answer)).status.allowed
}
