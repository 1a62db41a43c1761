/**
 * The one way to a Secret or ConfigMap of svc-system that a record names: its labels must show whose it is before it is
 * used (docs/ownership.md).
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
  /** Undefined where there is none, and where it is not the record's to use. */
  secret: Secret | undefined
  /** What has the name and is not the record's: without any value. */
  foreign: { metadata: Secret['metadata'] } | undefined
}

/** Live: it is kept nowhere. */
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

/** The same where the reason for none is not needed. */
export async function readNamedSecret(
  client: ClusterClient,
  name: string,
  mayUse: SecretRule,
): Promise<Secret | undefined> {
  return (await findNamedSecret(client, name, mayUse)).secret
}

/** Only where it is the record's, and still the very object that was judged. False when nothing went. */
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

/** An object of a list that labels chose: another one that has its name by now stays. False when it was gone. */
export async function removeSeen(
  client: ClusterClient,
  type: ResourceType,
  { metadata: { name, namespace, uid } }: KubeObject,
): Promise<boolean> {
  const ref = { type, name, ...defined({ namespace }) }
  try {
    return await client.delete(ref, { ...defined({ uid }), propagation: 'Background' })
  } catch (error) {
    if (isConflict(error)) return false
    throw error
  }
}

const labelsOf = ({ metadata: { labels } }: KubeObject | Secret): Labelled => ({
  metadata: defined({ labels }),
})
