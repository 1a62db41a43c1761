/** Buckets of an AWS account: reads their owner, creates them with tags, empties them page by page, deletes them. */
import type { BucketLocationConstraint, S3 } from '@aws-sdk/client-s3'
import { refusedObject, UpstreamError } from '../upstream-error.ts'
import type { AwsAccount } from './account.ts'
import { isAbsent, orAbsent } from './upstream-error.ts'
import { defined } from '../../contract/defined.ts'

export type BucketLook =
  | { found: 'absent' }
  /** Another account has the name, or this account may not read the bucket: AWS's answer is the same for both. */
  | { found: 'closed' }
  | { found: 'open'; region: string; tags: Record<string, string> }

type Tags = Readonly<Record<string, string>>

/** Two reads. Throws UpstreamError. */
export async function lookAtBucket(account: AwsAccount, bucket: string): Promise<BucketLook> {
  try {
    const head = await account.s3((s3) => s3.headBucket({ Bucket: bucket }))
    return { found: 'open', region: head.BucketRegion ?? '', tags: await tagsOf(account, bucket) }
  } catch (error) {
    if (isAbsent(error)) return { found: 'absent' }
    if (error instanceof UpstreamError && error.status === 403) return { found: 'closed' }
    throw error
  }
}

/**
 * Creates the bucket with its tags in one call. Another implementation of S3 may ignore tags here; the next pass then
 * writes them. A bucket that this account has already stays as it is; `taken` means that another account has it.
 */
export async function createBucket(account: AwsAccount, bucket: string, tags: Tags): Promise<'there' | 'taken'> {
  const { region } = account
  // AWS refuses us-east-1 as a location constraint.
  // The client's list lacks regions that are newer than the client.
  const constraint = region === 'us-east-1' ? {} : { LocationConstraint: region as BucketLocationConstraint }
  try {
    await account.s3((s3) =>
      s3.createBucket({ Bucket: bucket, CreateBucketConfiguration: { ...constraint, Tags: tagSet(tags) } }),
    )
    return 'there'
  } catch (error) {
    if (error instanceof UpstreamError && error.code === 'BucketAlreadyOwnedByYou') return 'there'
    if (error instanceof UpstreamError && error.code === 'BucketAlreadyExists') return 'taken'
    throw error
  }
}

/** Replaces all tags of the bucket. */
export async function tagBucket(account: AwsAccount, bucket: string, tags: Tags): Promise<void> {
  if (Object.keys(tags).length === 0) return void (await account.s3((s3) => s3.deleteBucketTagging({ Bucket: bucket })))
  await account.s3((s3) => s3.putBucketTagging({ Bucket: bucket, Tagging: { TagSet: tagSet(tags) } }))
}

/** Whether the bucket holds neither objects nor older versions of objects. */
export async function isEmpty(account: AwsAccount, bucket: string): Promise<boolean> {
  const { Versions = [], DeleteMarkers = [] } = await account.s3((s3) =>
    s3.listObjectVersions({ Bucket: bucket, MaxKeys: 1 }),
  )
  return Versions.length === 0 && DeleteMarkers.length === 0
}

/**
 * Removes one page of the contents of a bucket (versions, delete markers, then unfinished uploads) and returns how many
 * it removed; 0 when the bucket is empty or absent. Throws UpstreamError, also for a single object that may not be
 * removed.
 */
export async function emptyPage(account: AwsAccount, bucket: string): Promise<number> {
  return (await orAbsent(removeVersions(account, bucket))) || ((await orAbsent(abortUploads(account, bucket))) ?? 0)
}

/** An absent bucket is no error. Throws UpstreamError, with code BucketNotEmpty when it got objects meanwhile. */
export async function deleteBucket(account: AwsAccount, bucket: string): Promise<void> {
  await orAbsent(account.s3((s3) => s3.deleteBucket({ Bucket: bucket })))
}

/** Every bucket of the account with its tags, which take one more call for each bucket. */
export async function* listBuckets(
  account: AwsAccount,
): AsyncGenerator<{ name: string; tags: Record<string, string> }> {
  for await (const name of listBucketNames(account)) yield { name, tags: (await orAbsent(tagsOf(account, name))) ?? {} }
}

export async function* listBucketNames(account: AwsAccount): AsyncGenerator<string> {
  let token: string | undefined
  do {
    const page = await account.s3((s3) =>
      s3.listBuckets({ MaxBuckets: 1000, ...defined({ ContinuationToken: token }) }),
    )
    for (const { Name: name = '' } of page.Buckets ?? []) yield name
    token = page.ContinuationToken
  } while (token !== undefined)
}

async function removeVersions(account: AwsAccount, bucket: string): Promise<number> {
  const { Versions = [], DeleteMarkers = [] } = await account.s3((s3) => s3.listObjectVersions({ Bucket: bucket }))
  const Objects = [...Versions, ...DeleteMarkers].flatMap(({ Key, VersionId }) =>
    Key === undefined ? [] : [{ Key, VersionId }],
  )
  if (Objects.length === 0) return 0
  const { Errors: [first] = [] } = await account.s3((s3) =>
    s3.deleteObjects({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
  )
  if (first !== undefined) throw refusedObject(first)
  return Objects.length
}

async function abortUploads(account: AwsAccount, bucket: string): Promise<number> {
  const { Uploads = [] } = await account.s3((s3) => s3.listMultipartUploads({ Bucket: bucket }))
  for (const { Key, UploadId } of Uploads)
    await orAbsent(account.s3((s3) => s3.abortMultipartUpload({ Bucket: bucket, Key, UploadId })))
  return Uploads.length
}

async function tagsOf(account: AwsAccount, bucket: string): Promise<Record<string, string>> {
  try {
    const { TagSet = [] } = await account.s3((s3) => s3.getBucketTagging({ Bucket: bucket }))
    return Object.fromEntries(TagSet.map(({ Key = '', Value = '' }) => [Key, Value]))
  } catch (error) {
    if (error instanceof UpstreamError && error.code === 'NoSuchTagSet') return {}
    throw error
  }
}

const tagSet = (tags: Tags): NonNullable<NonNullable<Parameters<S3['putBucketTagging']>[0]['Tagging']>['TagSet']> =>
  Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))
