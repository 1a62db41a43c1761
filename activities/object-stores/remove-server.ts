/** The steps that remove the object server, once it has no bucket any more: its pod, its data, its Secrets. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { bucketsInTheWay, objectServerAmong } from '../../kinds/object-stores/gates.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { serverName } from '../../kinds/object-stores/names.ts'
import { removeChild } from '../kube/apply-child.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { removeOwnSecret } from '../kube/own-secret.ts'
import { type Pass, waiting } from '../provision/step.ts'
import { serverConnectionOf } from './apply-server.ts'
import { listStores, rootSecretOf } from './server-session.ts'

/**
 * The deletion of the object server waits while buckets of projects are on it, and names them
 * (docs/reference/object-stores.md#deleting-the-object-server).
 */
export const awaitNoBuckets =
  (needs: ActivityNeeds): Pass<ObjectStore> =>
  async (server) => {
    // Listed live: a bucket that was created a moment ago may not be cached.
    const stores = await listStores(needs)
    // A second record of an object server was never in use, so it holds no buckets.
    if (objectServerAmong(stores)?.metadata.uid !== server.metadata.uid) return undefined
    const inTheWay = bucketsInTheWay(stores)
    return inTheWay === '' ? undefined : waiting(inTheWay)
  }

export const removeServerObjects =
  ({ client }: ActivityNeeds): Pass<ObjectStore> =>
  async ({ metadata: { uid = '' } }) => {
    for (const kind of ['StatefulSet', 'Service', 'PersistentVolumeClaim'])
      await removeChild(client, kind, systemNamespace, serverName, uid)
    return undefined
  }

export const removeServerSecrets =
  ({ client }: ActivityNeeds): Pass<ObjectStore> =>
  async (server) => {
    await removeOwnSecret(client, serverConnectionOf(server))
    await removeOwnSecret(client, rootSecretOf(server))
    return undefined
  }

/** Waits until pod and volume are gone: a server that is created later must not meet them. */
export const awaitServerGone =
  ({ client }: ActivityNeeds): Pass<ObjectStore> =>
  async ({ metadata: { uid = '' } }) => {
    const labelSelector = `${labels.owner}=${uid}`
    const pods = await client.list<KubeObject>(coreTypes.pod, {
      namespace: systemNamespace,
      labelSelector,
      metadataOnly: true,
    })
    if (pods.items.length > 0) return waiting('waiting for the MinIO server to stop')
    const claims = await client.list<KubeObject>(coreTypes.persistentVolumeClaim, {
      namespace: systemNamespace,
      labelSelector,
      metadataOnly: true,
    })
    return claims.items.length > 0 ? waiting('waiting for the volume of the MinIO server to be removed') : undefined
  }
