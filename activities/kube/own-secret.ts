/**
 * Secrets made for a record: made once or kept as they should be, never another owner's. Values stay within the
 * activity.
 */
import type { V1Secret } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import { isAlreadyExists } from '../../cluster/objects/errors.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { dataOf, textsOf } from '../../cluster/objects/secret-data.ts'
import { labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import { fieldManager, onConditionOf, OwnershipConflict } from './apply-child.ts'

export interface OwnSecret {
  name: string
  namespace: string
  /** uid of the record that it is made for. */
  owner: string
  /** Its value of the purpose label. */
  purpose: string
  /** Besides owner, purpose and managed-by. */
  labels?: Readonly<Record<string, string>>
}

type SecretRef = Pick<OwnSecret, 'name' | 'namespace' | 'owner'>

type Values = Record<string, string>

export interface FoundSecret {
  uid: string
  annotations: Readonly<Record<string, string>>
  /** Decoded, by key. */
  values: Values
}

/** Undefined when there is none, or when it belongs to another record. */
export async function readOwnSecret(
  client: ClusterClient,
  { name, namespace, owner }: SecretRef,
): Promise<FoundSecret | undefined> {
  const live = await client.get<Sent<V1Secret>>({ type: coreTypes.secret, namespace, name })
  return live === undefined || live.metadata.labels?.[labels.owner] !== owner ? undefined : found(live)
}

/** Undefined when there is none. Throws OwnershipConflict for one of another record. */
export async function readKeptSecret(client: ClusterClient, secret: SecretRef): Promise<FoundSecret | undefined> {
  const live = await readForOwner(client, secret)
  return live === undefined ? undefined : found(live)
}

/**
 * What it holds; made with these values when it is not there, and completed with those that are missing. The second of
 * two callers gets what the first made. Throws OwnershipConflict.
 */
export async function makeSecretOnce(
  client: ClusterClient,
  secret: OwnSecret,
  make: () => Promise<Values>,
): Promise<FoundSecret> {
  const live = await readForOwner(client, secret)
  if (live === undefined) {
    try {
      return found(await client.create<Sent<V1Secret>>(coreTypes.secret, manifest(secret, await make())))
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      return makeSecretOnce(client, secret, make)
    }
  }
  const { values } = found(live)
  const made = await make()
  if (Object.keys(made).every((key) => (values[key] ?? '') !== '')) return found(live)
  const kept = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
  return found(await write(client, secret, { ...made, ...kept }, live))
}

/**
 * Makes it hold these values, and writes nothing when it does. Written on condition of what was read: a pass that was
 * cut off meets a conflict where a later one wrote. Throws OwnershipConflict.
 */
export async function keepSecret(client: ClusterClient, secret: OwnSecret, values: Values): Promise<void> {
  const live = await readForOwner(client, secret)
  const wanted = manifest(secret, values)
  const same =
    live !== undefined &&
    covers(live.data ?? {}, wanted.data) &&
    covers(live.metadata.labels ?? {}, wanted.metadata.labels)
  if (!same) await write(client, secret, values, live)
}

/** Harmless when it is not there; another owner's is left alone. */
export async function removeOwnSecret(client: ClusterClient, { name, namespace, owner }: SecretRef): Promise<void> {
  const ref = { type: coreTypes.secret, namespace, name }
  const live = await client.get<Sent<V1Secret>>(ref)
  if (live?.metadata.uid !== undefined && live.metadata.labels?.[labels.owner] === owner)
    await client.delete(ref, { uid: live.metadata.uid })
}

async function readForOwner(
  client: ClusterClient,
  { name, namespace, owner }: SecretRef,
): Promise<Sent<V1Secret> | undefined> {
  const live = await client.get<Sent<V1Secret>>({ type: coreTypes.secret, namespace, name })
  if (live !== undefined && live.metadata.labels?.[labels.owner] !== owner)
    throw new OwnershipConflict('Secret', namespace, name)
  return live
}

function write(
  client: ClusterClient,
  secret: OwnSecret,
  values: Values,
  live: Sent<V1Secret> | undefined,
): Promise<Sent<V1Secret>> {
  return client.apply<Sent<V1Secret>>(coreTypes.secret, onConditionOf(live, manifest(secret, values)), {
    manager: fieldManager,
    force: true,
  })
}

function manifest({ name, namespace, owner, purpose, labels: more }: OwnSecret, values: Values) {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace,
      labels: { ...more, [labels.managedBy]: managedBySvc, [labels.owner]: owner, [labels.purpose]: purpose },
    },
    type: 'Opaque',
    data: dataOf(values),
  }
}

function found(secret: Sent<V1Secret>): FoundSecret {
  const { uid = '', annotations = {} } = secret.metadata
  return { uid, annotations, values: textsOf(secret) }
}

const covers = (live: Values, wanted: Values): boolean =>
  canonical(Object.fromEntries(Object.keys(wanted).map((key) => [key, live[key]]))) === canonical(wanted)
