/** Whole buckets on a real MinIO, with the SDK of AWS. */
import { CreateMultipartUploadCommand, PutBucketVersioningCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { expect } from 'chai'
import {
  bucketTags,
  createBucket,
  deleteEmptyBucket,
  deleteFullBucket,
  isBucketEmpty,
  listBuckets,
  reachesBucket,
  tagBucket,
} from '../../../outside/s3/buckets.ts'
import { connectS3 } from '../../../outside/s3/connect.ts'
import { LoginRefused, ServerAway } from '../../../outside/server-trouble.ts'
import { type Minio, minioWithinMs, startMinio } from '../../harness/minio.ts'

describe('buckets of an S3 server', function () {
  this.timeout(minioWithinMs)
  let minio: Minio
  let s3: S3Client
  const bucket = 'proj-00000001.production.photos'

  before(async () => {
    minio = await startMinio()
    s3 = connectS3({ region: 'us-east-1', ...minio })
  })
  after(async () => {
    s3.destroy()
    await minio.stop()
  })

  it('a bucket is made once, however often it is asked for, and carries its tags', async () => {
    expect(await bucketTags(s3, bucket)).to.equal(undefined)
    expect(await reachesBucket(s3, bucket)).to.equal(false)
    for (let time = 1; time <= 2; time += 1) await createBucket(s3, bucket)
    expect(await bucketTags(s3, bucket)).to.deep.equal({})
    for (let time = 1; time <= 2; time += 1) await tagBucket(s3, bucket, { 'svc.dev/owner': 'uid-1' })
    expect(await bucketTags(s3, bucket)).to.deep.equal({ 'svc.dev/owner': 'uid-1' })
    expect(await listBuckets(s3, 'proj-00000001.production.')).to.deep.equal([bucket])
    expect(await listBuckets(s3, 'proj-00000002.')).to.deep.equal([])
  })

  it('one with objects in it is not deleted by the call for empty ones', async () => {
    expect(await isBucketEmpty(s3, bucket)).to.equal(true)
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'a/b', Body: 'text' }))
    expect(await isBucketEmpty(s3, bucket)).to.equal(false)
    expect(await deleteEmptyBucket(s3, bucket)).to.equal(false)
    expect(await reachesBucket(s3, bucket)).to.equal(true)
  })

  it('one goes with its objects, their versions and unfinished uploads, also a second time', async () => {
    await s3.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status: 'Enabled' } }))
    for (const text of ['one', 'two']) await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'a/b', Body: text }))
    await s3.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: 'big' }))
    for (let time = 1; time <= 2; time += 1) await deleteFullBucket(s3, bucket)
    expect(await reachesBucket(s3, bucket)).to.equal(false)
    await createBucket(s3, bucket)
    expect(await isBucketEmpty(s3, bucket)).to.equal(true)
    for (let time = 1; time <= 2; time += 1) expect(await deleteEmptyBucket(s3, bucket)).to.equal(true)
  })

  it('tells a wrong login from a server that is away', async () => {
    const wrong = connectS3({ region: 'us-east-1', ...minio, secretKey: 'wrong-secret' })
    expect(await createBucket(wrong, bucket).catch((error: unknown) => error)).to.be.instanceOf(LoginRefused)
    wrong.destroy()
    await minio.kill()
    expect(await createBucket(s3, bucket).catch((error: unknown) => error)).to.be.instanceOf(ServerAway)
    await minio.start()
    await createBucket(s3, bucket)
    expect(await deleteEmptyBucket(s3, bucket)).to.equal(true)
  })
})
