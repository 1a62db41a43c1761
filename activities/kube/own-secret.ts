/**
 * Secrets that svc creates for a record: created once or kept as wanted; another owner's Secret is never changed. The
 * values do not leave the activity.
 */
import type { V1Secret } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import { isAlreadyExists } from '../../cluster/objects/errors.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { dataOf, textsOf } from '../../cluster/objects/secret-data.ts'
import { labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import { fieldManager } from '../../kinds/meta/group.ts'
import { onConditionOf, OwnershipConflict } from './apply-child.ts'

export interface OwnSecret {
  name: string
  namespace: string
  /** uid of the record that the Secret is made for. */
  owner: string
  /** Value of the purpose label. */
  purpose: string
  /** Labels besides owner, purpose and managed-by. */
  labels?: Readonly<Record<string, string>>
}

type SecretRef = Pick<OwnSecret, 'name' | 'namespace' | 'owner'>

type Values = Record<string, string>

export interface FoundSecret {
  uid: string
  annotations: Readonly<Record<string, string>>
  /** Decoded values by key. */
  values: Values
}

/** Undefined if there is no such Secret, or if it belongs to another record. */
export async function readOwnSecret(
  client: ClusterClient,
  { name, namespace, owner }: SecretRef,
): Promise<FoundSecret | undefined> {
  const live = await client.get<Sent<V1Secret>>({ type: coreTypes.secret, namespace, name })
  return live === undefined || live.metadata.labels?.[labels.owner] !== owner ? undefined : found(live)
}

/** Undefined if there is no such Secret. Throws OwnershipConflict for another record's Secret. */
export async function readKeptSecret(client: ClusterClient, secret: SecretRef): Promise<FoundSecret | undefined> {
  const live = await readForOwner(client, secret)
  return live === undefined ? undefined : found(live)
}

/**
 * Resolves with the Secret. A missing one is created with the values of `make`; missing values are added and existing
 * ones stay, so of two callers the second gets the values of the first. Throws OwnershipConflict.
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
 * Writes these values, unless the Secret has them already. The apply has the read version as its condition, so that a
 * pass that was cut off ends in a conflict if a later pass has written. Throws OwnershipConflict.
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

/** Removes the Secret, if it exists and is the owner's. */
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
