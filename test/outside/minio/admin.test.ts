/** Users and policies on a real MinIO. */
import { expect } from 'chai'
import { storePolicy, samePolicy } from '../../../kinds/object-stores/policy.ts'
import { connectMinioAdmin } from '../../../outside/minio/admin.ts'
import { connectS3 } from '../../../outside/s3/connect.ts'
import { createBucket, reachesBucket } from '../../../outside/s3/buckets.ts'
import { CallRefused, LoginRefused, ServerAway } from '../../../outside/server-trouble.ts'
import { type Minio, minioWithinMs, startMinio } from '../../harness/minio.ts'

describe("MinIO's admin API", function () {
  this.timeout(minioWithinMs)
  let minio: Minio
  const bucket = 'proj-00000001.production.photos'
  const policy = storePolicy([bucket])
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
    expect(samePolicy(await admin.readPolicy('svc-calm-otter'), storePolicy(['another']))).to.equal(false)
  })

  it('takes the policy of a store with as many long buckets as there may be', async () => {
    const admin = connectMinioAdmin(minio)
    const many = storePolicy(Array.from({ length: 32 }, (_, at) => `proj-00000001.production.${'b'.repeat(34)}${String(at).padStart(3, '0')}`))
    await admin.putPolicy('svc-many', many)
    expect(samePolicy(await admin.readPolicy('svc-many'), many)).to.equal(true)
    await admin.removePolicy('svc-many')
  })

  it('gives an existing user another secret, and the one before opens nothing any more', async () => {
    const admin = connectMinioAdmin(minio)
    const root = connectS3({ region: 'us-east-1', ...minio })
    const as = (secretKey: string) => connectS3({ endpoint: minio.endpoint, region: 'us-east-1', accessKey: 'calm-otter', secretKey })
    await createBucket(root, bucket)
    const [before, after] = [as('the-secret-of-calm-otter'), as('another-secret-of-calm-otter')]
    expect([await reachesBucket(before, bucket), await reachesBucket(after, bucket)]).to.deep.equal([true, false])
    await admin.putUser('calm-otter', 'another-secret-of-calm-otter')
    expect([await reachesBucket(before, bucket), await reachesBucket(after, bucket)]).to.deep.equal([false, true])
    for (const client of [root, before, after]) client.destroy()
  })

  it('a user of a store can neither change its own secret nor make more keys', async () => {
    const own = connectMinioAdmin({ endpoint: minio.endpoint, accessKey: 'calm-otter', secretKey: 'another-secret-of-calm-otter' })
    const refusal = await troubleOf(own.putUser('calm-otter', 'a-secret-of-its-own'))
    expect(refusal).to.be.instanceOf(CallRefused)
    expect((refusal as CallRefused).code).to.equal('AccessDenied')
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

  it('tells a wrong login from a server that is away, and names no secret', async () => {
    const wrong = await troubleOf(connectMinioAdmin({ ...minio, secretKey: 'wrong-secret' }).readUser('calm-otter'))
    expect(wrong).to.be.instanceOf(LoginRefused)
    const nobody = await troubleOf(connectMinioAdmin({ ...minio, accessKey: 'nobody' }).putUser('calm-otter', 'some-secret'))
    expect(nobody).to.be.instanceOf(LoginRefused)
    await minio.kill()
    const away = await troubleOf(connectMinioAdmin(minio).readUser('calm-otter'))
    expect(away).to.be.instanceOf(ServerAway)
    for (const error of [wrong, nobody, away]) expect(String(error)).to.not.match(/wrong-secret|some-secret|root-secret/)
    await minio.start()
    expect(await connectMinioAdmin(minio).readUser('calm-otter')).to.equal(undefined)
  })
})
