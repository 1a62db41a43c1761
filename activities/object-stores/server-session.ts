/** Work on the object server with its root login: its address, its record, and what its errors mean for a pass. */
import { connectionPurpose } from '../../kinds/secrets/connection-secret.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { objectServerAmong } from '../../kinds/object-stores/gates.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { rootSecretName, serverName, serverPort } from '../../kinds/object-stores/names.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { connectMinioAdmin, type MinioAdmin } from '../../outside/minio/admin.ts'
import { connectS3, type MinioLogin, type MinioS3 } from '../../outside/minio/s3.ts'
import { isLoginRefused } from '../../outside/minio/upstream-error.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { type OwnSecret, readOwnSecret } from '../kube/own-secret.ts'
import { failing, type Unmet, waiting } from '../provision/step.ts'
import { serviceAddress } from '../kube/service-address.ts'

export interface ServerSession {
  endpoint: string
  admin: MinioAdmin
  s3: MinioS3
}

export const objectServerOf = ({ objectStores }: Pick<ActivityNeeds, 'objectStores'>): ObjectStore | undefined =>
  objectServerAmong(objectStores.cache.list())

/** The object server for removals: one that is not cached is looked up live, since the cache may be behind. */
export async function findObjectServer(
  needs: Pick<ActivityNeeds, 'client' | 'objectStores'>,
): Promise<ObjectStore | undefined> {
  return objectServerOf(needs) ?? objectServerAmong(await listStores(needs))
}

/** All object stores, listed live. */
export async function listStores({ client }: Pick<ActivityNeeds, 'client'>): Promise<readonly ObjectStore[]> {
  return (await client.list<ObjectStore>(resourceTypes.objectStore, { namespace: systemNamespace })).items
}

export const rootSecretOf = ({ metadata: { name, uid = '' } }: ObjectStore): OwnSecret => ({
  name: rootSecretName(name),
  namespace: systemNamespace,
  owner: uid,
  purpose: connectionPurpose,
})

/**
 * Runs work on the server as root; waits for a server that does not answer, or that refuses its root login.
 */
export async function onServer(
  needs: ActivityNeeds,
  server: ObjectStore,
  work: (session: ServerSession) => Promise<Unmet | undefined>,
): Promise<Unmet | undefined> {
  const [root, endpoint] = await Promise.all([readOwnSecret(needs.client, rootSecretOf(server)), endpointOf(needs)])
  const { username = '', password = '' } = root?.values ?? {}
  if (username === '' || password === '') return waiting('server credentials unavailable')
  if (endpoint === undefined) return waiting('waiting for the MinIO server to answer')
  const login: MinioLogin = { endpoint, accessKey: username, secretKey: password }
  const s3 = connectS3(login)
  try {
    return await work({ endpoint, admin: connectMinioAdmin(login), s3 })
  } catch (error) {
    return unmetOf(error)
  } finally {
    s3.end()
  }
}

function unmetOf(error: unknown): Unmet {
  if (isLoginRefused(error)) return waiting('server credentials unavailable: the MinIO server does not accept them')
  if (!(error instanceof UpstreamError)) throw error
  return error.passing
    ? waiting('waiting for the MinIO server to answer')
    : failing(`the MinIO server refuses it: ${error.message}`)
}

/** The endpoint from the settings, else the Service's cluster IP: signatures cover the host as called, name or IP. */
async function endpointOf({ client, objectServer }: ActivityNeeds): Promise<string | undefined> {
  if (objectServer.endpoint !== undefined) return objectServer.endpoint
  const address = await serviceAddress(client, systemNamespace, serverName)
  if (address === undefined) return undefined
  return `http://${address.includes(':') ? `[${address}]` : address}:${serverPort}`
}
