/** What is read of the moment beside the WAL of a backup, on a real MinIO: others may write to the bucket, too. */
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { expect } from 'chai'
import { readUpto } from '../../../activities/backups/stored-upto.ts'
import { createBucket } from '../../../outside/minio/buckets.ts'
import { connectS3, type MinioS3 } from '../../../outside/minio/s3.ts'
import { UpstreamError } from '../../../outside/upstream-error.ts'
import { type Minio, minioWithinMs, startMinio } from '../../harness/minio.ts'

const bucket = 'proj-00000001.production.backups'
const folder = 'svc-backups/proj-00000001/orders/wal'
const moment = '2026-11-24T10:15:00Z'

describe('the moment up to which WAL is stored', function () {
  this.timeout(minioWithinMs)
  let minio: Minio
  let s3: MinioS3

  before(async () => {
    minio = await startMinio()
    s3 = connectS3(minio)
    await createBucket(s3, bucket)
  })
  after(async () => {
    s3.end()
    await minio.stop()
  })

  const store = (Body: string) =>
    s3.ask((client) => client.send(new PutObjectCommand({ Bucket: bucket, Key: `${folder}/upto`, Body })))

  it('is none before one was stored', async () => expect(await readUpto(s3, bucket, folder)).to.equal(''))

  const table: [string, string, string][] = [
    ['the whole of what the shipper wrote', moment, moment],
    ['no more than its length of a file without end', moment + 'x'.repeat(8 * 1024 * 1024), moment],
    ['nothing of an empty file', '', ''],
  ]
  for (const [what, body, read] of table)
    it(`is ${what}`, async () => {
      await store(body)
      expect(await readUpto(s3, bucket, folder)).to.equal(read)
    })

  it('fails where there is no bucket', async () => {
    const error: unknown = await readUpto(s3, 'proj-00000001.production.gone', folder).catch((cause: unknown) => cause)
    expect(error).to.be.instanceOf(UpstreamError).with.property('code', 'NoSuchBucket')
  })
})
