/** A connection of this process to the bucket that a backup is in. */
import type { BackupArchiveSpec } from '../../kinds/backup-archives/kind.ts'
import { connectS3, type MinioS3 } from '../../outside/minio/s3.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { endpointHere, findStorage, type Storage } from './storage.ts'

/** The caller has to `end` the `s3`. `gone`: the objects of the bucket cannot be reached any more. */
export type OpenBucket = { s3: MinioS3; bucket: string } | { unmet: string; gone: boolean }

export async function openBucket(needs: ActivityNeeds, spec: BackupArchiveSpec): Promise<OpenBucket> {
  const found = await findStorage(needs, spec)
  if ('unmet' in found) return found
  const { storage } = found
  const endpoint = await endpointHere(needs, spec, storage)
  if (endpoint === undefined) return { unmet: 'waiting for the MinIO server to answer', gone: false }
  const s3 = spec.source === 'ObjectStore' ? connectS3({ ...storage, endpoint }) : inCloud(needs, storage)
  return { s3, bucket: storage.bucket }
}

function inCloud({ clouds }: Pick<ActivityNeeds, 'clouds'>, { accessKey, secretKey, region }: Storage): MinioS3 {
  const account = clouds.aws.account({ accessKeyId: accessKey, secretAccessKey: secretKey }, region)
  return { ask: (work) => account.s3(work), end: () => account.close() }
}
