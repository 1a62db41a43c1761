/** Secrets that a story keeps as they should be: read live, written only where they differ, never taken from another owner. */

import type { V1Secret } from '@kubernetes/client-node'
import type { ClusterClient } from '../cluster/client.ts'
import type { Sent } from '../cluster/object.ts'
import { coreTypes } from '../cluster/resource-type.ts'
import { labels } from '../kinds/annotations.ts'
import { canonical } from '../kinds/digest.ts'
import { ForeignObject } from './apply-child.ts'

export interface ReadSecret {
  uid: string
  /** uid of the record that it was made for; '' when nobody's. */
  owner: string
  resourceVersion: string
  values: Readonly<Record<string, string>>
}

/** The texts of a Secret by key; undefined when there is none. */
export async function readSecret(client: ClusterClient, namespace: string, name: string): Promise<ReadSecret | undefined> {
  const secret = await client.get<Sent<V1Secret>>({ type: coreTypes.secret, namespace, name })
  if (secret === undefined) return undefined
  const values = Object.fromEntries(Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]))
  const { uid = '', resourceVersion = '', labels: own } = secret.metadata
  return { uid, owner: own?.[labels.owner] ?? '', resourceVersion, values }
}

export interface WantedSecret {
  namespace: string
  name: string
  /** With the owner's uid among them. */
  labels: Record<string, string>
  values: Readonly<Record<string, string>>
}

/**
 * Makes the Secret hold exactly these values. Throws ForeignObject for one of another owner, and a conflict when somebody else wrote it
 * meanwhile; the uid of the Secret.
 */
export async function keepSecret(client: ClusterClient, wanted: WantedSecret): Promise<string> {
  const { namespace, name } = wanted
  const there = await readSecret(client, namespace, name)
  if (there !== undefined && there.owner !== wanted.labels[labels.owner]) throw new ForeignObject('Secret', namespace, name)
  if (there !== undefined && canonical(there.values) === canonical(wanted.values)) return there.uid
  const secret: Sent<V1Secret> = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, labels: wanted.labels, ...(there === undefined ? {} : { resourceVersion: there.resourceVersion }) },
    type: 'Opaque',
    data: Object.fromEntries(Object.entries(wanted.values).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
  }
  const written = await (there === undefined ? client.create(coreTypes.secret, secret) : client.replace(coreTypes.secret, secret))
  return written.metadata.uid ?? ''
}

/** Removes a Secret if it is there and belongs to this owner. */
export async function removeSecret(client: ClusterClient, namespace: string, name: string, owner: string): Promise<void> {
  const there = await readSecret(client, namespace, name)
  if (there !== undefined && there.owner === owner) await client.delete({ type: coreTypes.secret, namespace, name }, { uid: there.uid })
}
