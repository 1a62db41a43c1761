/**
 * The moment up to which the WAL or the binary log of a backup is stored, read from a file in the bucket. A service
 * that is linked to the bucket may have written that file, so no more bytes are read than a timestamp has.
 */
import { GetObjectCommand } from '@aws-sdk/client-s3'
import { uptoFile } from '../../kinds/backup-archives/wal/ship-script.ts'
import type { MinioS3 } from '../../outside/minio/s3.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'

const momentBytes = '2026-11-24T10:15:00Z'.length

/** '' if nothing was stored yet. `folder` is the log's folder within the backup. Throws UpstreamError. */
export async function readUpto(s3: MinioS3, bucket: string, folder: string): Promise<string> {
  const Key = `${folder}/${uptoFile}`
  try {
    return await s3.ask(async (client) => {
      const wanted = new GetObjectCommand({ Bucket: bucket, Key, Range: `bytes=0-${momentBytes - 1}` })
      const { Body } = await client.send(wanted)
      return (await Body?.transformToString()) ?? ''
    })
  } catch (error) {
    // The store answers InvalidRange for an empty file, which has no first byte.
    if (error instanceof UpstreamError && ['NoSuchKey', 'InvalidRange'].includes(error.code)) return ''
    throw error
  }
}
