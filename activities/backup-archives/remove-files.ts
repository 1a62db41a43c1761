/** Removes the files of a backup from its bucket. */
import {
  AbortMultipartUploadCommand,
  DeleteObjectsCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { isArchivePath } from '../../kinds/backup-archives/names.ts'
import type { MinioS3 } from '../../outside/minio/s3.ts'
import { refusedObject, UpstreamError } from '../../outside/upstream-error.ts'
import { openBucket } from '../backups/bucket.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { failing, type Pass, waiting } from '../provision/step.ts'

/**
 * The deletion of a backup does not wait for a bucket that is gone, or whose connection is gone: svc cannot reach the
 * files there any more. It does wait for an object store that does not answer. A folder that svc did not give the
 * backup stays as it is.
 */
export const removeFiles =
  (needs: ActivityNeeds): Pass<BackupArchive> =>
  async ({ metadata, spec }) => {
    if (!isArchivePath(spec.path, spec.project, metadata.name)) return undefined
    const opened = await openBucket(needs, spec)
    if ('unmet' in opened) return opened.gone ? undefined : waiting(opened.unmet)
    const { s3, bucket } = opened
    try {
      await removeFolder(s3, bucket, `${spec.path}/`)
      await abortUploads(s3, bucket, `${spec.path}/`)
      return undefined
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      if (error.code === 'NoSuchBucket') return undefined
      return error.passing
        ? waiting('waiting for the object store of the backups to answer')
        : failing(`the object store of the backups refuses it: ${error.message}`)
    } finally {
      s3.end()
    }
  }

/** Lists and deletes page by page until the folder is empty, so the next pass goes on where a killed worker stopped. */
export async function removeFolder(s3: MinioS3, Bucket: string, Prefix: string): Promise<void> {
  for (;;) {
    const { Contents = [] } = await s3.ask((client) => client.send(new ListObjectsV2Command({ Bucket, Prefix })))
    const Objects = Contents.map(({ Key = '' }) => ({ Key }))
    if (Objects.length === 0) return
    const { Errors: [refused] = [] } = await s3.ask((client) =>
      client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })),
    )
    if (refused !== undefined) throw refusedObject(refused)
  }
}

/**
 * Aborts the multipart uploads of pods that were killed: they are in no list of objects, and AWS stores and charges
 * them until they are aborted. MinIO lists them only for a whole key, and removes them by itself after a day. If the
 * keys may not list uploads, the lifecycle rules of the bucket have to remove them.
 */
export async function abortUploads(s3: MinioS3, Bucket: string, Prefix: string): Promise<void> {
  const list = s3.ask((client) => client.send(new ListMultipartUploadsCommand({ Bucket, Prefix })))
  const { Uploads = [] } = await list.catch(orLeft)
  for (const { Key, UploadId } of Uploads)
    await s3.ask((client) => client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))).catch(orLeft)
}

/** Error codes after which an upload is left: the keys or the store do not allow it, or the upload has ended. */
const leaving: ReadonlySet<string> = new Set(['AccessDenied', 'NotImplemented', 'NoSuchUpload'])

function orLeft(error: unknown): { Uploads?: undefined } {
  if (error instanceof UpstreamError && leaving.has(error.code)) return {}
  throw error
}
