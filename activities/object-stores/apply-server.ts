/**
 * The steps that start the object server: its root login, its nodes, its objects, its first answer, and the connection
 * Secret.
 */
import { randomBytes } from 'node:crypto'
import type { V1StatefulSet } from '@kubernetes/client-node'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { connectionPurpose, connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { covers } from '../../kinds/covers.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { rootUser, serverEndpoint, serverName } from '../../kinds/object-stores/names.ts'
import { type ServerManifest, serverObjects } from '../../kinds/object-stores/server-manifests.ts'
import { serverAwaited } from '../../kinds/object-stores/server-progress.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { listBuckets } from '../../outside/minio/buckets.ts'
import { childOf, onConditionOf, OwnershipConflict } from '../kube/apply-child.ts'
import { applyStorage, isUnused } from '../kube/apply-storage.ts'
import { systemNamespace, fieldManager } from '../../kinds/meta/group.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { keepSecret, makeSecretOnce, type OwnSecret, readOwnSecret } from '../kube/own-secret.ts'
import { failing, type Pass, type Unmet, waiting } from '../provision/step.ts'
import { writeStatus } from '../kube/write-status.ts'
import { objectServerOf, onServer, rootSecretOf } from './server-session.ts'

const passwordBytes = 24

export const serverConnectionOf = ({ metadata: { name, uid = '' } }: ObjectStore): OwnSecret => ({
  name: connectionSecretName(name),
  namespace: systemNamespace,
  owner: uid,
  purpose: connectionPurpose,
})

/** Creates the root login once. A lost one is read from the connection Secret, so that the server need not restart. */
export const makeRoot =
  (needs: ActivityNeeds): Pass<ObjectStore> =>
  async (server) => {
    const oldest = objectServerOf(needs)
    if (oldest !== undefined && oldest.metadata.uid !== server.metadata.uid)
      return failing(`the cluster has an object server already: ${oldest.metadata.name}`)
    await makeSecretOnce(needs.client, rootSecretOf(server), async () => {
      const { accessKey, secretKey } = (await readOwnSecret(needs.client, serverConnectionOf(server)))?.values ?? {}
      return accessKey === rootUser && secretKey !== undefined && secretKey !== ''
        ? { username: accessKey, password: secretKey }
        : { username: rootUser, password: randomBytes(passwordBytes).toString('hex') }
    })
    return undefined
  }

/**
 * Writes the node tags to the status when they are first set (docs/reference/object-stores.md#the-object-server): later
 * tags do not move the server, since its volume stays where it is.
 */
export const placeServer =
  ({ client, objectStores }: ActivityNeeds): Pass<ObjectStore> =>
  async (server) => {
    const { tags } = server.spec.runOn
    if (tags.length > 0 && server.status?.runsOn === undefined)
      await writeStatus(client, objectStores, resourceTypes.objectStore, server, { runsOn: { tags } })
    return undefined
  }

export const applyServer =
  (needs: ActivityNeeds): Pass<ObjectStore> =>
  async (server) => {
    const { name, uid = '' } = server.metadata
    const root = await readOwnSecret(needs.client, rootSecretOf(server))
    if (root === undefined) return waiting('server credentials unavailable')
    const nodes = { region: server.spec.serverRegion ?? '', tags: server.status?.runsOn?.tags ?? [] }
    for (const manifest of serverObjects(server.spec, {
      name,
      uid,
      image: needs.objectServer.image,
      rootUid: root.uid,
      nodes,
    })) {
      const unmet = await applyUnlessCovered(needs, manifest, server)
      if (unmet !== undefined) return unmet
    }
    return undefined
  }

/** Applies the manifest unless the live object matches it; waits for an object that is being deleted. */
async function applyUnlessCovered(
  needs: ActivityNeeds,
  manifest: ServerManifest,
  server: ObjectStore,
): Promise<Unmet | undefined> {
  const { client, objectStores } = needs
  const { type } = childOf(manifest.kind)
  const live = await client.get<KubeObject>({ type, namespace: systemNamespace, name: serverName })
  if (live !== undefined && live.metadata.labels?.[labels.owner] !== server.metadata.uid)
    throw new OwnershipConflict(manifest.kind, systemNamespace, serverName)
  if (live?.metadata.deletionTimestamp !== undefined) return waiting('installing the MinIO server')
  if (manifest.kind === 'PersistentVolumeClaim' && (live === undefined || isUnused(live)))
    await applyStorage(needs, manifest, live, { record: server, store: objectStores })
  else if (!covers(live, manifest))
    await client.apply(type, onConditionOf(live, manifest), { manager: fieldManager, force: true })
  return undefined
}

/** Waits for the pod, then for an answer of the server to its root login. */
export const awaitServerAnswer =
  (needs: ActivityNeeds): Pass<ObjectStore> =>
  async (server) => {
    const set = await needs.client.get<Sent<V1StatefulSet>>({
      type: coreTypes.statefulSet,
      namespace: systemNamespace,
      name: serverName,
    })
    const awaited = serverAwaited(set, needs.children.pods.by('owner', server.metadata.uid ?? ''))
    if (awaited !== '') return waiting(awaited)
    return onServer(needs, server, async ({ s3 }) => {
      await listBuckets(s3, '')
      return undefined
    })
  }

/**
 * Writes the connection Secret of the server itself, in svc-system: keys `endpoint`, `accessKey`, `secretKey`, `bucket`
 * (docs/reference/object-stores.md#connection-secret).
 */
export const writeServerConnection =
  ({ client }: ActivityNeeds): Pass<ObjectStore> =>
  async (server) => {
    const { username = '', password = '' } = (await readOwnSecret(client, rootSecretOf(server)))?.values ?? {}
    if (username === '' || password === '') return waiting('server credentials unavailable')
    const values = { endpoint: serverEndpoint, accessKey: username, secretKey: password, bucket: server.metadata.name }
    await keepSecret(client, serverConnectionOf(server), values)
    return undefined
  }
