/** Removes the files of a backup from its bucket. */

import { DeleteObjectsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import type { MinioS3 } from '../../outside/minio/s3.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'
import { openBucket } from '../backups/bucket.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { failing, type Pass, waiting } from '../provision/step.ts'

/**
 * The deletion of a backup does not wait for a bucket that is gone, or whose connection is gone: svc cannot reach the
 * files there any more. A bucket that does not answer is waited for.
 */
export const removeFiles =
  (needs: ActivityNeeds): Pass<BackupArchive> =>
  async ({ spec }) => {
    const opened = await openBucket(needs, spec)
    if ('unmet' in opened) return opened.gone ? undefined : waiting(opened.unmet)
    const { s3, bucket } = opened
    try {
      await removeFolder(s3, bucket, `${spec.path}/`)
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

/** In pages: what a killed worker left is found by the next. */
async function removeFolder(s3: MinioS3, Bucket: string, Prefix: string): Promise<void> {
  for (;;) {
    const { Contents = [] } = await s3.ask((client) => client.send(new ListObjectsV2Command({ Bucket, Prefix })))
    const Objects = Contents.map(({ Key = '' }) => ({ Key }))
    if (Objects.length === 0) return
    await s3.ask((client) => client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })))
  }
}
