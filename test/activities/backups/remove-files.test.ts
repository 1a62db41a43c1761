/** What the removal of a backup takes out of its bucket: on a real MinIO, and on moto in the place of AWS. */
import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { expect } from 'chai'
import { abortUploads, removeFolder } from '../../../activities/backup-archives/remove-files.ts'
import { connectMinioAdmin } from '../../../outside/minio/admin.ts'
import { createBucket } from '../../../outside/minio/buckets.ts'
import { connectS3, type MinioS3 } from '../../../outside/minio/s3.ts'
import { UpstreamError } from '../../../outside/upstream-error.ts'
import { type Minio, minioWithinMs, startMinio } from '../../harness/minio.ts'
import { motoWithinMs, useMoto } from '../../harness/moto.ts'

const bucket = 'proj-00000001.production.backups'
const folder = 'svc-backups/proj-00000001/orders-1'
const beside = 'svc-backups/proj-00000001/orders-12'

const put = (s3: MinioS3, Key: string) =>
  s3.ask((client) => client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'x' })))
async function keysOf(s3: MinioS3): Promise<string[]> {
  const { Contents = [] } = await s3.ask((client) => client.send(new ListObjectsV2Command({ Bucket: bucket })))
  return Contents.map(({ Key = '' }) => Key)
}

describe('the files of a backup that is removed', () => {
  describe('on MinIO', function () {
    this.timeout(minioWithinMs)
    let minio: Minio
    let s3: MinioS3

    before(async () => {
      minio = await startMinio()
      s3 = connectS3(minio)
      await createBucket(s3, bucket)
      for (const each of [folder, beside]) await put(s3, `${each}/manifest.sha256.bin`)
    })
    after(async () => {
      s3.end()
      await minio.stop()
    })

    it('are refused in the words of the store where its keys may not delete', async () => {
      const admin = connectMinioAdmin(minio)
      const reader = { accessKey: 'reader', secretKey: 'reader-secret' }
      await admin.putUser(reader.accessKey, reader.secretKey)
      await admin.putPolicy('list-alone', {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Action: ['s3:ListBucket'], Resource: ['arn:aws:s3:::*'] }],
      })
      await admin.setPolicy(reader.accessKey, 'list-alone')
      const own = connectS3({ ...minio, ...reader })
      const error: unknown = await removeFolder(own, bucket, `${folder}/`).catch((cause: unknown) => cause)
      own.end()
      expect(error).to.be.instanceOf(UpstreamError).with.property('code', 'AccessDenied')
      expect(await keysOf(s3)).to.have.length(2)
    })

    it('go, and those of no other backup', async () => {
      await removeFolder(s3, bucket, `${folder}/`)
      await abortUploads(s3, bucket, `${folder}/`)
      expect(await keysOf(s3)).to.deep.equal([`${beside}/manifest.sha256.bin`])
    })
  })

  describe('on AWS', function () {
    this.timeout(motoWithinMs)
    let s3: MinioS3

    before(async () => {
      const account = (await useMoto()).account()
      s3 = { ask: (work) => account.s3(work), end: () => account.close() }
      await createBucket(s3, bucket)
    })
    after(() => s3.end())

    const uploads = async (): Promise<string[]> => {
      const listed = await s3.ask((client) => client.send(new ListMultipartUploadsCommand({ Bucket: bucket })))
      return (listed.Uploads ?? []).map(({ Key = '' }) => Key)
    }

    it('are aborted as far as a pod that was killed had sent them, and those of no other backup', async () => {
      for (const each of [folder, beside])
        await s3.ask((client) =>
          client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: `${each}/orders.dump.bin` })),
        )
      expect(await uploads()).to.have.length(2)
      await abortUploads(s3, bucket, `${folder}/`)
      expect(await uploads()).to.deep.equal([`${beside}/orders.dump.bin`])
      await abortUploads(s3, bucket, `${folder}/`)
    })
  })
})
