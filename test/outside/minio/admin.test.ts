/** Users and policies on a real MinIO. */
import { expect } from 'chai'
import { minioPolicy, samePolicy } from '../../../kinds/object-stores/bucket-policy.ts'
import { connectMinioAdmin } from '../../../outside/minio/admin.ts'
import { createBucket, reachesBucket } from '../../../outside/minio/buckets.ts'
import { connectS3 } from '../../../outside/minio/s3.ts'
import { isLoginRefused } from '../../../outside/minio/upstream-error.ts'
import { UpstreamError } from '../../../outside/upstream-error.ts'
import { type Minio, minioWithinMs, startMinio } from '../../harness/minio.ts'

describe("MinIO's admin API", function () {
  this.timeout(minioWithinMs)
  let minio: Minio
  const bucket = 'proj-00000001.production.photos'
  const policy = minioPolicy([bucket])
  const troubleOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'no trouble',
      (error: unknown) => error,
    )

  before(async () => {
    minio = await startMinio()
  })
  after(() => minio.stop())

  it('makes a user with a policy, and makes both again without harm', async () => {
    const admin = connectMinioAdmin(minio)
    expect(await admin.readUser('calm-otter')).to.equal(undefined)
    expect(await admin.readPolicy('svc-calm-otter')).to.equal(undefined)
    for (let time = 1; time <= 2; time += 1) {
      await admin.putPolicy('svc-calm-otter', policy)
      await admin.putUser('calm-otter', 'the-secret-of-calm-otter')
      await admin.setPolicy('calm-otter', 'svc-calm-otter')
    }
    expect(await admin.readUser('calm-otter')).to.deep.equal({ enabled: true, policies: ['svc-calm-otter'] })
    expect(samePolicy(await admin.readPolicy('svc-calm-otter'), policy)).to.equal(true)
    expect(samePolicy(await admin.readPolicy('svc-calm-otter'), minioPolicy(['another']))).to.equal(false)
  })

  it('takes the policy of a store with as many long buckets as there may be', async () => {
    const admin = connectMinioAdmin(minio)
    const many = minioPolicy(
      Array.from({ length: 32 }, (_, at) => `proj-00000001.production.${'b'.repeat(34)}${String(at).padStart(3, '0')}`),
    )
    await admin.putPolicy('svc-many', many)
    expect(samePolicy(await admin.readPolicy('svc-many'), many)).to.equal(true)
    await admin.removePolicy('svc-many')
  })

  it('gives an existing user another secret, and the one before opens nothing any more', async () => {
    const admin = connectMinioAdmin(minio)
    const root = connectS3(minio)
    const as = (secretKey: string) => connectS3({ endpoint: minio.endpoint, accessKey: 'calm-otter', secretKey })
    await createBucket(root, bucket)
    const [before, after] = [as('the-secret-of-calm-otter'), as('another-secret-of-calm-otter')]
    expect([await reachesBucket(before, bucket), await reachesBucket(after, bucket)]).to.deep.equal([true, false])
    await admin.putUser('calm-otter', 'another-secret-of-calm-otter')
    expect([await reachesBucket(before, bucket), await reachesBucket(after, bucket)]).to.deep.equal([false, true])
    for (const client of [root, before, after]) client.end()
  })

  it('a user of a store can neither change its own secret nor make more keys', async () => {
    const own = connectMinioAdmin({
      endpoint: minio.endpoint,
      accessKey: 'calm-otter',
      secretKey: 'another-secret-of-calm-otter',
    })
    const refusal = await troubleOf(own.putUser('calm-otter', 'a-secret-of-its-own'))
    expect(refusal).to.be.instanceOf(UpstreamError)
    expect((refusal as UpstreamError).code).to.equal('AccessDenied')
  })

  it('removes users and policies, also those that are gone', async () => {
    const admin = connectMinioAdmin(minio)
    for (let time = 1; time <= 2; time += 1) {
      await admin.removeUser('calm-otter')
      await admin.removePolicy('svc-calm-otter')
    }
    expect(await admin.readUser('calm-otter')).to.equal(undefined)
    expect(await admin.readPolicy('svc-calm-otter')).to.equal(undefined)
  })

  it('distinguishes a wrong login from a server that is away, and names no secret', async () => {
    const wrong = await troubleOf(connectMinioAdmin({ ...minio, secretKey: 'wrong-secret' }).readUser('calm-otter'))
    expect(isLoginRefused(wrong)).to.equal(true)
    const nobody = await troubleOf(
      connectMinioAdmin({ ...minio, accessKey: 'nobody' }).putUser('calm-otter', 'some-secret'),
    )
    expect(isLoginRefused(nobody)).to.equal(true)
    await minio.kill()
    const away = await troubleOf(connectMinioAdmin(minio).readUser('calm-otter'))
    expect(away).to.include({ status: 0, passing: true, message: 'MinIO does not answer: ECONNREFUSED' })
    for (const error of [wrong, nobody, away])
      expect(String(error)).to.not.match(/wrong-secret|some-secret|root-secret/)
    await minio.start()
    expect(await connectMinioAdmin(minio).readUser('calm-otter')).to.equal(undefined)
  })
})
