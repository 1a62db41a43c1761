/** Operations on whole buckets of a MinIO server; every call is idempotent and throws UpstreamError. */
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  GetBucketTaggingCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  ListObjectVersionsCommand,
  PutBucketTaggingCommand,
} from '@aws-sdk/client-s3'
import { UpstreamError } from '../upstream-error.ts'
import type { MinioS3 } from './s3.ts'
import { unlessRefused } from './upstream-error.ts'

/**
 * Whether the login can access the bucket; false also for a refused or unknown login, since a HEAD has no error code.
 */
export async function reachesBucket(s3: MinioS3, bucket: string): Promise<boolean> {
  try {
    await s3.ask((client) => client.send(new HeadBucketCommand({ Bucket: bucket })))
    return true
  } catch (error) {
    if (error instanceof UpstreamError && (error.status === 403 || error.status === 404)) return false
    throw error
  }
}

/** Tags of a bucket; undefined when there is no such bucket. */
export async function bucketTags(s3: MinioS3, bucket: string): Promise<Record<string, string> | undefined> {
  const answer = await unlessRefused(['NoSuchTagSet', 'NoSuchBucket'], () =>
    s3.ask((client) => client.send(new GetBucketTaggingCommand({ Bucket: bucket }))),
  )
  if (answer !== undefined)
    return Object.fromEntries((answer.TagSet ?? []).map(({ Key = '', Value = '' }) => [Key, Value]))
  // The server answers "no such tags" for an absent bucket, too.
  return (await reachesBucket(s3, bucket)) ? {} : undefined
}

export async function tagBucket(s3: MinioS3, bucket: string, tags: Record<string, string>): Promise<void> {
  const TagSet = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))
  await s3.ask((client) => client.send(new PutBucketTaggingCommand({ Bucket: bucket, Tagging: { TagSet } })))
}

/** An existing bucket is no error. */
export async function createBucket(s3: MinioS3, bucket: string): Promise<void> {
  await unlessRefused(['BucketAlreadyOwnedByYou'], () =>
    s3.ask((client) => client.send(new CreateBucketCommand({ Bucket: bucket }))),
  )
}

/** Whether the bucket holds neither objects nor older versions of objects. */
export async function isBucketEmpty(s3: MinioS3, bucket: string): Promise<boolean> {
  const { Versions = [], DeleteMarkers = [] } = await s3.ask((client) =>
    client.send(new ListObjectVersionsCommand({ Bucket: bucket, MaxKeys: 1 })),
  )
  return Versions.length === 0 && DeleteMarkers.length === 0
}

/** Names of the buckets that begin with `prefix`. */
export async function listBuckets(s3: MinioS3, prefix: string): Promise<string[]> {
  const { Buckets = [] } = await s3.ask((client) => client.send(new ListBucketsCommand({})))
  return Buckets.map(({ Name = '' }) => Name).filter((name) => name.startsWith(prefix))
}

/** Deletes an empty bucket; one with objects stays. An absent bucket is no error. */
export async function deleteEmptyBucket(s3: MinioS3, bucket: string): Promise<void> {
  await unlessRefused(['NoSuchBucket', 'BucketNotEmpty'], () =>
    s3.ask((client) => client.send(new DeleteBucketCommand({ Bucket: bucket }))),
  )
}

/** Deletes the bucket with all its objects, however many, in one call. An absent bucket is no error. */
export async function deleteFullBucket(s3: MinioS3, bucket: string): Promise<void> {
  const command = new DeleteBucketCommand({ Bucket: bucket })
  command.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Record<string, string> } // an HTTP request at this step
      headers['x-minio-force-delete'] = 'true'
      return next(args)
    },
    { step: 'build' },
  )
  await unlessRefused(['NoSuchBucket'], () => s3.ask((client) => client.send(command)))
}
