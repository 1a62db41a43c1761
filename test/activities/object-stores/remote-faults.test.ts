/**
 * Every call that a remote store makes, with every fault on the wire: in the end exactly what the record asks for
 * exists, or nothing. moto stands in for AWS.
 */
import { expect } from 'chai'
import { labels } from '../../../kinds/meta/annotations.ts'
import type { ObjectStore } from '../../../kinds/object-stores/kind.ts'
import { policyName, userNameOf } from '../../../kinds/object-stores/remote.ts'
import type { AwsAccount } from '../../../outside/aws/account.ts'
import { lookAtBucket } from '../../../outside/aws/buckets.ts'
import { listKeys, lookAtUser } from '../../../outside/aws/users.ts'
import type { Fault } from '../../harness/fault-proxy.ts'
import { motoWithinMs } from '../../harness/moto.ts'
import { openRemoteWorld, type RemoteWorld } from './remote-world.ts'

const making = [
  'HeadBucket',
  'GetBucketTagging',
  'CreateBucket',
  'ListObjectVersions', // for a bucket without tags: moto ignores tags in CreateBucket
  'PutBucketTagging',
  'GetUser',
  'CreateUser',
  'GetUserPolicy',
  'PutUserPolicy',
  'ListAccessKeys',
  'CreateAccessKey',
]
const removing = [
  'GetUser',
  'ListAccessKeys',
  'DeleteAccessKey',
  'HeadBucket',
  'GetBucketTagging',
  'ListObjectVersions',
  'DeleteObjects',
  'ListMultipartUploads',
  'AbortMultipartUpload',
  'DeleteBucket',
  'DeleteUserPolicy',
  'DeleteUser',
]
/**
 * The faults of one call, one after the other, and how often each occurs: a step retries once within a pass, so a pass
 * cannot hide a fault that occurs twice. Faults after which the call may have taken effect come last, since some calls
 * are not made again after them.
 */
const trouble: readonly [Fault, number][] = [
  ['dropped before', 2],
  ['reset', 2],
  ['throttled', 2],
  ['internal error', 2],
  ['access denied', 2],
  ['slow', 1],
  ['dropped after', 1],
]
/** More passes than needed, for a machine so slow that calls time out by themselves. */
const limitMs = 30
/** How many stores are tested at once. */
const atOnce = 6

describe('a remote store whose calls go wrong (moto stands in for AWS)', function () {
  this.timeout(120_000)
  let world: RemoteWorld
  let account: AwsAccount

  before(async function () {
    this.timeout(motoWithinMs)
    world = await openRemoteWorld()
    account = world.moto.account()
    const work = [
      ...making.map((operation) => [`made ${operation}`, () => made(operation)] as const),
      ...removing.map((operation) => [`removed ${operation}`, () => removed(operation)] as const),
    ]
    // The stores wait for the network most of the time, so several run while their results are awaited one by one.
    for (const [at, [name, run]] of work.entries()) {
      const mine = (lanes[at % atOnce] ?? Promise.resolve()).then(run)
      results.set(name, mine)
      lanes[at % atOnce] = mine.catch(() => undefined)
    }
  })
  const results = new Map<string, Promise<void>>()
  const lanes: Promise<void>[] = []
  after(async () => {
    await Promise.all(lanes)
    account.close()
    await world.close()
  })

  /**
   * Adds faults for calls about this store only: each call names its bucket or its user. Returns the faults that no
   * call met.
   */
  function breakCalls(store: ObjectStore, operation: string): () => Fault[] {
    const ofBucket = /Bucket|Object|Multipart/.test(operation)
    const about = ofBucket ? (store.spec.buckets[0] ?? '') : userNameOf(store.metadata.name)
    // A call that took effect although its answer was late may not be repeated.
    const added = trouble.map(([fault, times]) => ({
      fault,
      rule: world.proxy.add({ operation, fault, times, about }),
    }))
    return () =>
      added.filter(({ fault, rule }) => rule.used() === 0 && fault !== 'dropped after').map(({ fault }) => fault)
  }

  async function made(operation: string): Promise<void> {
    const store = await world.create()
    const unmet = breakCalls(store, operation)
    const passes = await world.reconcile(store, limitMs)
    expect(passes.at(-1)?.outcome).to.equal('done')
    expect(unmet()).to.deep.equal([])
    const user = userNameOf(store.metadata.name)
    expect((await lookAtUser(account, user))?.[labels.owner]).to.equal(store.metadata.uid)
    expect((await account.iam((iam) => iam.listUserPolicies({ UserName: user }))).PolicyNames).to.deep.equal([
      policyName,
    ])
    expect(await listKeys(account, user)).to.deep.equal([(await world.secretOf(store))?.['accessKey']])
    const look = await lookAtBucket(account, store.spec.buckets[0] ?? '')
    expect(look.found === 'open' ? look.tags[labels.owner] : look.found).to.equal(store.metadata.uid)
  }

  async function removed(operation: string): Promise<void> {
    const store = await world.create()
    const [Bucket = ''] = store.spec.buckets
    await world.reconcile(store, limitMs)
    await account.s3((s3) => s3.putObject({ Bucket, Key: 'a', Body: 'a' }))
    await account.s3((s3) => s3.createMultipartUpload({ Bucket, Key: 'b' }))
    const unmet = breakCalls(store, operation)
    await world.remove(store)
    const passes = await world.reconcile(store, limitMs)
    expect(passes.at(-1)?.outcome).to.equal('done')
    expect(unmet()).to.deep.equal([])
    expect(await lookAtUser(account, userNameOf(store.metadata.name))).to.equal(undefined)
    expect((await lookAtBucket(account, Bucket)).found).to.equal('absent')
    expect(await world.secretOf(store)).to.equal(undefined)
    expect(await world.records.objectStores.readLive(store.metadata.name)).to.equal(undefined)
  }

  for (const operation of making) {
    it(`is made once and whole when ${operation} goes wrong in every way`, () => results.get(`made ${operation}`))
  }
  for (const operation of removing) {
    it(`is removed whole when ${operation} goes wrong in every way`, () => results.get(`removed ${operation}`))
  }
})
