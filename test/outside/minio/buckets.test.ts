/** Whole buckets on a real MinIO, with the SDK of AWS. */
import { CreateMultipartUploadCommand, PutBucketVersioningCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect } from 'chai'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  bucketTags,
  createBucket,
  deleteEmptyBucket,
  deleteFullBucket,
  isBucketEmpty,
  listBuckets,
  reachesBucket,
  tagBucket,
} from '../../../outside/minio/buckets.ts'
import { connectS3, type MinioS3 } from '../../../outside/minio/s3.ts'
import { isLoginRefused } from '../../../outside/minio/upstream-error.ts'
import { type Minio, minioWithinMs, startMinio } from '../../harness/minio.ts'

describe('buckets of a MinIO', function () {
  this.timeout(minioWithinMs)
  let minio: Minio
  let s3: MinioS3
  const bucket = 'proj-00000001.production.photos'

  before(async () => {
    minio = await startMinio()
    s3 = connectS3(minio)
  })
  after(async () => {
    s3.end()
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
    await s3.ask((client) => client.send(new PutObjectCommand({ Bucket: bucket, Key: 'a/b', Body: 'text' })))
    expect(await isBucketEmpty(s3, bucket)).to.equal(false)
    await deleteEmptyBucket(s3, bucket)
    expect(await reachesBucket(s3, bucket)).to.equal(true)
  })

  it('one goes with its objects, their versions and unfinished uploads, also a second time', async () => {
    await s3.ask((client) =>
      client.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status: 'Enabled' } })),
    )
    for (const text of ['one', 'two'])
      await s3.ask((client) => client.send(new PutObjectCommand({ Bucket: bucket, Key: 'a/b', Body: text })))
    await s3.ask((client) => client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: 'big' })))
    for (let time = 1; time <= 2; time += 1) await deleteFullBucket(s3, bucket)
    expect(await reachesBucket(s3, bucket)).to.equal(false)
    await createBucket(s3, bucket)
    expect(await isBucketEmpty(s3, bucket)).to.equal(true)
    for (let time = 1; time <= 2; time += 1) await deleteEmptyBucket(s3, bucket)
    expect(await reachesBucket(s3, bucket)).to.equal(false)
  })

  it('distinguishes a wrong login from a server that is away', async () => {
    const wrong = connectS3({ ...minio, secretKey: 'wrong-secret' })
    expect(isLoginRefused(await createBucket(wrong, bucket).catch((error: unknown) => error))).to.equal(true)
    wrong.end()
    await minio.kill()
    expect(await createBucket(s3, bucket).catch((error: unknown) => error)).to.include({ status: 0, passing: true })
    await minio.start()
    await createBucket(s3, bucket)
    await deleteEmptyBucket(s3, bucket)
  })
})

describe('an answer that is not from MinIO', () => {
  for (const [what, status, body] of [
    ['without a body', 404, ''],
    ['with a page', 404, '404 page not found'],
    ['of a gateway', 403, '<html>'],
  ] as const)
    it(`is waited out: ${status} ${what}`, async () => {
      const server = createServer((_, response) => response.writeHead(status).end(body))
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const { port } = server.address() as AddressInfo // it listens on a port
      const s3 = connectS3({ endpoint: `http://127.0.0.1:${port}`, accessKey: 'a', secretKey: 'b' })
      const error = await listBuckets(s3, '').catch((thrown: unknown) => thrown)
      s3.end()
      server.close()
      expect(error).to.include({ status, passing: true })
    })
})
