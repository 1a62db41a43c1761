/** What is asked and done about whole buckets; every call may be repeated. */

import {
  CreateBucketCommand,
  DeleteBucketCommand,
  GetBucketTaggingCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  PutBucketTaggingCommand,
  type S3Client,
  ListObjectVersionsCommand,
} from '@aws-sdk/client-s3'
import { CallRefused } from '../server-trouble.ts'
import { asTrouble } from './connect.ts'

/** Whether the login reaches the bucket; false also where it is not allowed to say. Throws ServerAway, LoginRefused. */
export async function reachesBucket(s3: S3Client, bucket: string): Promise<boolean> {
  return (await unlessRefused([403, 404], () => s3.send(new HeadBucketCommand({ Bucket: bucket })))) !== undefined
}

/** Its tags; undefined when there is no such bucket. */
export async function bucketTags(s3: S3Client, bucket: string): Promise<Record<string, string> | undefined> {
  try {
    const { TagSet = [] } = await asTrouble(() => s3.send(new GetBucketTaggingCommand({ Bucket: bucket })))
    return Object.fromEntries(TagSet.map(({ Key = '', Value = '' }) => [Key, Value]))
  } catch (error) {
    // MinIO says so of a bucket that is not there, too.
    if (error instanceof CallRefused && error.code === 'NoSuchTagSet') return (await reachesBucket(s3, bucket)) ? {} : undefined
    if (error instanceof CallRefused && error.code === 'NoSuchBucket') return undefined
    throw error
  }
}

export async function tagBucket(s3: S3Client, bucket: string, tags: Record<string, string>): Promise<void> {
  const TagSet = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))
  await asTrouble(() => s3.send(new PutBucketTaggingCommand({ Bucket: bucket, Tagging: { TagSet } })))
}

/** Harmless when the same login made it before. */
export async function createBucket(s3: S3Client, bucket: string): Promise<void> {
  await unlessCode(['BucketAlreadyOwnedByYou'], () => s3.send(new CreateBucketCommand({ Bucket: bucket })))
}

/** Whether anything is in it, older versions included. */
export async function isBucketEmpty(s3: S3Client, bucket: string): Promise<boolean> {
  const { Versions = [], DeleteMarkers = [] } = await asTrouble(() => s3.send(new ListObjectVersionsCommand({ Bucket: bucket, MaxKeys: 1 })))
  return Versions.length === 0 && DeleteMarkers.length === 0
}

/** Names of the buckets that begin with `prefix`. */
export async function listBuckets(s3: S3Client, prefix: string): Promise<string[]> {
  const { Buckets = [] } = await asTrouble(() => s3.send(new ListBucketsCommand({})))
  return Buckets.map(({ Name = '' }) => Name).filter((name) => name.startsWith(prefix))
}

/** False when something is in it. Harmless when it is not there. */
export async function deleteEmptyBucket(s3: S3Client, bucket: string): Promise<boolean> {
  try {
    await unlessCode(['NoSuchBucket'], () => s3.send(new DeleteBucketCommand({ Bucket: bucket })))
    return true
  } catch (error) {
    if (error instanceof CallRefused && error.code === 'BucketNotEmpty') return false
    throw error
  }
}

/** MinIO only: the bucket goes with all that is in it, in one step of the server. Harmless when it is not there. */
export async function deleteFullBucket(s3: S3Client, bucket: string): Promise<void> {
  const command = new DeleteBucketCommand({ Bucket: bucket })
  command.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Record<string, string> } // an HTTP request at this step
      headers['x-minio-force-delete'] = 'true'
      return next(args)
    },
    { step: 'build' },
  )
  await unlessCode(['NoSuchBucket'], () => s3.send(command))
}

async function unlessRefused<T>(statuses: readonly number[], work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await asTrouble(work)
  } catch (error) {
    if (error instanceof CallRefused && statuses.includes(error.status)) return undefined
    throw error
  }
}

async function unlessCode<T>(codes: readonly string[], work: () => Promise<T>): Promise<void> {
  try {
    await asTrouble(work)
  } catch (error) {
    if (!(error instanceof CallRefused && codes.includes(error.code))) throw error
  }
}
