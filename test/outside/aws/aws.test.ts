/** The AWS calls against moto, a stand-in for AWS: reads, creation, emptying, removal, and errors. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { type AwsAccount, awsSettings, createAws } from '../../../outside/aws/account.ts'
import {
  createBucket,
  deleteBucket,
  emptyPage,
  isEmpty,
  listBuckets,
  lookAtBucket,
  tagBucket,
} from '../../../outside/aws/buckets.ts'
import { callerAccount } from '../../../outside/aws/identity.ts'
import { UpstreamError } from '../../../outside/upstream-error.ts'
import {
  createKey,
  createUser,
  deleteKeys,
  deleteUser,
  listKeys,
  listUsers,
  lookAtUser,
  putPolicy,
} from '../../../outside/aws/users.ts'
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts'
import { type Moto, motoWithinMs, useMoto } from '../../harness/moto.ts'

describe('AWS (moto stands in for it)', function () {
  this.timeout(60_000)
  let moto: Moto
  let proxy: FaultProxy
  let account: AwsAccount
  const unique = (prefix: string): string => `${prefix}-${randomBytes(4).toString('hex')}`
  const tags = { 'svc.dev/owner': 'uid-1', 'svc.dev/managed-by': 'svc' }
  const troubleIn = (asked: Promise<unknown>): Promise<UpstreamError> =>
    asked.then(
      () => expect.fail('it succeeded'),
      (error: unknown) => {
        expect(error).to.be.instanceOf(UpstreamError)
        return error as UpstreamError // its class was asserted above
      },
    )

  before(async function () {
    this.timeout(motoWithinMs)
    moto = await useMoto()
    proxy = await startFaultProxy(moto.url, 3_000)
    account = moto.account()
  })
  after(async () => {
    account.close()
    await proxy.stop()
  })

  it('makes a bucket in its region, tags it, and finds it so', async () => {
    const far = moto.account('eu-west-1')
    const bucket = unique('made')
    expect(await lookAtBucket(far, bucket)).to.deep.equal({ found: 'absent' })
    await createBucket(far, bucket, tags)
    await tagBucket(far, bucket, tags)
    await createBucket(far, bucket, tags)
    expect(await lookAtBucket(far, bucket)).to.deep.equal({ found: 'open', region: 'eu-west-1', tags })
    expect(await isEmpty(far, bucket)).to.equal(true)
    const listed: string[] = []
    for await (const { name, tags: found } of listBuckets(far))
      if (found['svc.dev/owner'] === 'uid-1') listed.push(name)
    expect(listed).to.include(bucket)
    await deleteBucket(far, bucket)
    await deleteBucket(far, bucket)
    expect(await lookAtBucket(far, bucket)).to.deep.equal({ found: 'absent' })
    far.close()
  })

  it('empties a bucket of versions, delete markers and unfinished uploads, page by page', async () => {
    const bucket = unique('full')
    await createBucket(account, bucket, tags)
    await account.s3((s3) => s3.putBucketVersioning({ Bucket: bucket, VersioningConfiguration: { Status: 'Enabled' } }))
    for (const Key of ['a', 'a', 'b/ä ö', 'c'])
      await account.s3((s3) => s3.putObject({ Bucket: bucket, Key, Body: Key }))
    await account.s3((s3) => s3.deleteObject({ Bucket: bucket, Key: 'c' }))
    for (const Key of ['d', 'e']) await account.s3((s3) => s3.createMultipartUpload({ Bucket: bucket, Key }))
    expect(await isEmpty(account, bucket)).to.equal(false)
    expect((await troubleIn(deleteBucket(account, bucket))).code).to.equal('BucketNotEmpty')
    expect([
      await emptyPage(account, bucket),
      await emptyPage(account, bucket),
      await emptyPage(account, bucket),
    ]).to.deep.equal([5, 2, 0])
    await deleteBucket(account, bucket)
    expect(await emptyPage(account, bucket)).to.equal(0)
  })

  it('makes a user with tags, policy and key, and removes all of it, also twice', async () => {
    const user = unique('svc-user')
    expect(await lookAtUser(account, user)).to.equal(undefined)
    await createUser(account, user, tags)
    await createUser(account, user, { 'svc.dev/owner': 'another' })
    expect(await lookAtUser(account, user)).to.deep.equal(tags)
    const document = JSON.stringify({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: 's3:ListBucket', Resource: '*' }],
    })
    const watched = createAws({ endpoint: proxy.url, callMs: 20_000, attempts: 1 }).account(moto.keys, 'us-east-1')
    await putPolicy(watched, user, 'svc-bucket', document)
    await putPolicy(watched, user, 'svc-bucket', document)
    expect(proxy.asked(user)).to.deep.equal(['GetUserPolicy', 'PutUserPolicy', 'GetUserPolicy'])
    watched.close()
    const key = await createKey(account, user)
    expect(await listKeys(account, user)).to.deep.equal([key.accessKeyId])
    const found: string[] = []
    for await (const name of listUsers(account, 'svc-')) found.push(name)
    expect(found).to.include(user).and.not.include('administrator')
    for (let time = 1; time <= 2; time += 1) {
      await deleteKeys(account, user)
      await deleteUser(account, user, 'svc-bucket')
      expect(await lookAtUser(account, user)).to.equal(undefined)
    }
  })

  it('is asked at its own addresses unless the environment names another', () => {
    expect(awsSettings({})).to.deep.equal({ callMs: 5_000, attempts: 2 })
    expect(
      awsSettings({ SVC_AWS_ENDPOINT: 'http://127.0.0.1:1', SVC_AWS_CALL_MS: '5', SVC_AWS_ATTEMPTS: '1' }),
    ).to.deep.equal({
      endpoint: 'http://127.0.0.1:1',
      callMs: 5,
      attempts: 1,
    })
  })

  it('says which account a pair of keys is of', async () => {
    expect(await callerAccount(account)).to.match(/^\d{12}$/)
  })

  it('tells a refusal as <status>: <code>: <text>, without the keys', async () => {
    const user = unique('svc-user')
    proxy.add({ operation: 'CreateUser', fault: 'access denied', about: user })
    const asking = createAws({ endpoint: proxy.url, callMs: 20_000, attempts: 1 }).account(
      { accessKeyId: 'perform', secretAccessKey: 'authorized' },
      'us-east-1',
    )
    const trouble = await troubleIn(createUser(asking, user, tags))
    expect(trouble).to.deep.include({ status: 403, code: 'AccessDenied', passing: false })
    expect(trouble.message).to.equal('403: AccessDenied: User is not *** to *** this action')
    asking.close()
  })

  for (const [fault, word] of [
    ['throttled', /^503: SlowDown: /],
    ['internal error', /^500: InternalError: /],
    ['dropped before', /^AWS does not answer: /],
    ['dropped after', /^AWS does not answer: /],
    ['reset', /^AWS does not answer: ECONNRESET/],
    ['slow', /^AWS does not answer: (ETIMEDOUT|TimeoutError)/],
  ] as const) {
    it(`takes a call that is ${fault} as something that passes`, async () => {
      const bucket = unique('passing')
      proxy.add({ operation: 'CreateBucket', fault, about: bucket })
      const asking = createAws({ endpoint: proxy.url, callMs: 500, attempts: 1 }).account(moto.keys, 'us-east-1')
      const trouble = await troubleIn(createBucket(asking, bucket, tags))
      expect(trouble.passing).to.equal(true)
      expect(trouble.message).to.match(word)
      asking.close()
      await deleteBucket(account, bucket)
    })
  }
})
