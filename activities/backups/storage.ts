/** The bucket that backups are in, and the key that encrypts them; keys and passwords never leave an activity. */
import { randomBytes } from 'node:crypto'
import { labels } from '../../kinds/meta/annotations.ts'
import { projectKeyName } from '../../kinds/backup-archives/names.ts'
import type { BackupArchiveSpec } from '../../kinds/backup-archives/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { serverName, serverPort } from '../../kinds/object-stores/names.ts'
import { regionOfStore } from '../../kinds/object-stores/remote.ts'
import { connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { backupKeyPurpose } from '../../kinds/secrets/named-secret.ts'
import { minioRegion } from '../../outside/minio/s3.ts'
import { readAccount } from '../../records/cloud-connections/read-account.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { makeSecretOnce, readOwnSecret } from '../kube/own-secret.ts'
import { serviceAddress } from '../kube/service-address.ts'

type Needs = Pick<ActivityNeeds, 'client' | 'clouds' | 'objectStores' | 'objectServer' | 'projects'>
type Place = Pick<BackupArchiveSpec, 'project' | 'source' | 'connectionRef' | 'region' | 'bucket' | 'path'>

/** How pods reach the bucket: the entries of the Secret that a Job mounts, except the project's key. */
export interface Storage {
  provider: string
  /** '' for AWS's own endpoint. */
  endpoint: string
  region: string
  accessKey: string
  secretKey: string
  bucket: string
}

/** The storage, or why the bucket cannot be used. `gone`: its objects cannot be reached any more. */
export type FoundStorage = { storage: Storage } | { unmet: string; gone: boolean }

export async function findStorage(needs: Needs, place: Place): Promise<FoundStorage> {
  return place.source === 'ObjectStore' ? bucketOnCluster(needs, place) : bucketInCloud(needs, place)
}

async function bucketInCloud({ client, clouds }: Needs, place: Place): Promise<FoundStorage> {
  const { name } = place.connectionRef
  const found = await readAccount(client, name, { project: place.project, provider: 'AWS' })
  // Missing keys can be set again. A connection that is gone, or belongs to another project, cannot lead there.
  if ('unmet' in found) return { unmet: found.unmet, gone: !found.unmet.includes(`${name} is incomplete`) }
  const { connection, keys } = found
  const { accessKeyId = '', secretAccessKey = '' } = keys
  const { endpoint = '' } = clouds.aws
  return {
    storage: {
      provider: endpoint === '' ? 'AWS' : 'Other',
      endpoint,
      region: regionOfStore(place.region === '' ? undefined : place.region, connection.spec.region, keys['region']),
      accessKey: accessKeyId,
      secretKey: secretAccessKey,
      bucket: place.bucket,
    },
  }
}

async function bucketOnCluster({ client, objectStores }: Needs, place: Place): Promise<FoundStorage> {
  const { name } = place.connectionRef
  const store = await objectStores.readLive(name)
  if (store === undefined || store.spec.project !== place.project)
    return { unmet: `bucket ${name} does not exist`, gone: true }
  const secret = await readOwnSecret(client, {
    name: connectionSecretName(name),
    namespace: homeOf(store.spec),
    owner: store.metadata.uid ?? '',
  })
  const { endpoint = '', accessKey = '', secretKey = '' } = secret?.values ?? {}
  if (accessKey === '' || secretKey === '') return { unmet: `bucket ${name} is not ready`, gone: false }
  return {
    storage: { provider: 'Minio', endpoint, region: minioRegion, accessKey, secretKey, bucket: place.bucket },
  }
}

/** The endpoint as this process reaches it: names of Services resolve in pods only. */
export async function endpointHere(
  { client, objectServer }: Pick<Needs, 'client' | 'objectServer'>,
  { source }: Pick<Place, 'source'>,
  { endpoint }: Storage,
): Promise<string | undefined> {
  if (source !== 'ObjectStore') return endpoint
  if (objectServer.endpoint !== undefined) return objectServer.endpoint
  const address = await serviceAddress(client, systemNamespace, serverName)
  return address === undefined ? undefined : `http://${address.includes(':') ? `[${address}]` : address}:${serverPort}`
}

const keyBytes = 32

/**
 * The backup key of a project: created with its first backup, kept in svc-system, removed with the project. Undefined
 * if there is none and `make` is false, or the project is gone.
 */
export async function projectKey(needs: Needs, project: string, make: boolean): Promise<string | undefined> {
  const uid = (await needs.projects.read(project))?.metadata.uid
  if (uid === undefined) return undefined
  const secret = {
    name: projectKeyName(project),
    namespace: systemNamespace,
    owner: uid,
    purpose: backupKeyPurpose,
    labels: { [labels.project]: project },
  }
  const found = make
    ? await makeSecretOnce(needs.client, secret, async () => ({ key: randomBytes(keyBytes).toString('hex') }))
    : await readOwnSecret(needs.client, secret)
  return found?.values['key']
}
