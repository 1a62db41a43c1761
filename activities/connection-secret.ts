/** The Secret that says how a database or bucket is reached: read and written only where it is the record's own. */

import type { V1Secret } from '@kubernetes/client-node'
import type { ClusterClient } from '../cluster/client.ts'
import type { Sent } from '../cluster/object.ts'
import { coreTypes } from '../cluster/resource-type.ts'
import { labels, managedBySvc } from '../kinds/annotations.ts'
import { connectionPurpose, connectionSecretName } from '../kinds/connection-secret.ts'
import { canonical } from '../kinds/digest.ts'
import { homeOf } from '../kinds/namespaces.ts'
import type { Provisioned } from '../kinds/provision-plan.ts'
import { ForeignObject } from './apply-child.ts'

type Secret = Sent<V1Secret>
type Owner = Pick<Provisioned, 'metadata' | 'spec'>

/** Its texts by key; undefined where there is none. Throws ForeignObject for one that carries another uid than the record's. */
export async function readConnectionSecret(client: ClusterClient, owner: Owner): Promise<Record<string, string> | undefined> {
  const secret = await readOwn(client, owner)
  if (secret === undefined) return undefined
  return Object.fromEntries(Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]))
}

/** Written only when it says something else. Throws ForeignObject, and a conflict when somebody writes at the same time. */
export async function writeConnectionSecret(client: ClusterClient, owner: Owner, texts: Readonly<Record<string, string>>): Promise<void> {
  const known = await readOwn(client, owner)
  const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]))
  if (known === undefined) {
    await client.create(coreTypes.secret, { apiVersion: 'v1', kind: 'Secret', metadata: metadataOf(owner), type: 'Opaque', data })
    return
  }
  if (canonical(known.data) === canonical(data) && known.metadata.labels?.[labels.purpose] === connectionPurpose) return
  const { resourceVersion } = known.metadata
  await client.replace(coreTypes.secret, { ...known, data, metadata: { ...metadataOf(owner), ...(resourceVersion === undefined ? {} : { resourceVersion }) } })
}

/** Done as well where there is none of the record's own. */
export async function removeConnectionSecret(client: ClusterClient, { metadata, spec }: Owner): Promise<void> {
  const ref = { type: coreTypes.secret, namespace: homeOf(spec), name: connectionSecretName(metadata.name) }
  const secret = await client.get<Secret>(ref)
  if (secret?.metadata.uid === undefined || secret.metadata.labels?.[labels.owner] !== metadata.uid) return
  await client.delete(ref, { uid: secret.metadata.uid })
}

async function readOwn(client: ClusterClient, { metadata, spec }: Owner): Promise<Secret | undefined> {
  const [namespace, name] = [homeOf(spec), connectionSecretName(metadata.name)]
  const secret = await client.get<Secret>({ type: coreTypes.secret, namespace, name })
  if (secret !== undefined && secret.metadata.labels?.[labels.owner] !== metadata.uid) throw new ForeignObject('Secret', namespace, name)
  return secret
}

function metadataOf({ metadata, spec }: Owner): Secret['metadata'] {
  return {
    name: connectionSecretName(metadata.name),
    namespace: homeOf(spec),
    labels: {
      [labels.managedBy]: managedBySvc,
      [labels.project]: spec.project,
      [labels.environment]: spec.environment,
      [labels.owner]: metadata.uid ?? '',
      [labels.purpose]: connectionPurpose,
    },
  }
}
