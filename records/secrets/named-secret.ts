/**
 * The one way to read or delete a Secret or ConfigMap of svc-system that a record names: its labels must show its owner
 * before it is used (docs/ownership.md).
 */
import type { V1Secret } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import { isConflict } from '../../cluster/objects/errors.ts'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Labelled, SecretRule } from '../../kinds/secrets/named-secret.ts'
import { defined } from '../../contract/defined.ts'

type Secret = Sent<V1Secret>

export interface NamedSecret {
  /** Undefined where it does not exist, or where the record may not use it. */
  secret: Secret | undefined
  /** The object of this name that the record may not use, without its values. */
  foreign: { metadata: Secret['metadata'] } | undefined
}

/** Read live, since no process keeps it. */
export async function findNamedSecret(
  client: ClusterClient,
  name: string,
  mayUse: SecretRule | Promise<SecretRule>,
): Promise<NamedSecret> {
  const [secret, rule] = await Promise.all([
    client.get<Secret>({ type: coreTypes.secret, namespace: systemNamespace, name }),
    mayUse,
  ])
  if (secret === undefined) return { secret, foreign: undefined }
  return rule(labelsOf(secret))
    ? { secret, foreign: undefined }
    : { secret: undefined, foreign: { metadata: secret.metadata } }
}

/** As `findNamedSecret`, for callers that need no reason when there is none. */
export async function readNamedSecret(
  client: ClusterClient,
  name: string,
  mayUse: SecretRule,
): Promise<Secret | undefined> {
  return (await findNamedSecret(client, name, mayUse)).secret
}

/**
 * Deletes the object if the rule accepts it, and only the version that the rule saw. False when nothing was deleted.
 */
export async function removeNamed(
  client: ClusterClient,
  type: ResourceType,
  name: string,
  isOwn: SecretRule,
): Promise<boolean> {
  const ref = { type, namespace: systemNamespace, name }
  const live = await client.get<KubeObject>(ref)
  return live !== undefined && isOwn(labelsOf(live)) && removeSeen(client, type, live)
}

/**
 * Deletes an object of a list; another object that has its name by now stays. False when it was gone, or, where it has
 * to be `unchanged`, when it was written since.
 */
export async function removeSeen(
  client: ClusterClient,
  type: ResourceType,
  { metadata: { name, namespace, uid, resourceVersion } }: KubeObject,
  { unchanged = false }: { unchanged?: boolean } = {},
): Promise<boolean> {
  const ref = { type, name, ...defined({ namespace }) }
  const seen = defined({ uid, resourceVersion: unchanged ? resourceVersion : undefined })
  try {
    return await client.delete(ref, { ...seen, propagation: 'Background' })
  } catch (error) {
    if (isConflict(error)) return false
    throw error
  }
}

const labelsOf = ({ metadata: { labels } }: KubeObject | Secret): Labelled => ({
  metadata: defined({ labels }),
})
