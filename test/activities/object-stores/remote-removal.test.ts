/** After the deletion of a remote store nothing that was made for it is left. moto stands in for AWS. */
import { expect } from 'chai'
import { storeRules } from '../../../kinds/object-stores/draft.ts'
import { provisionPlan } from '../../../kinds/provision/plan.ts'
import type { ObjectStore } from '../../../kinds/object-stores/kind.ts'
import { ownerTags, userNameOf } from '../../../kinds/object-stores/remote.ts'
import { createBucket, lookAtBucket, tagBucket } from '../../../outside/aws/buckets.ts'
import { createUser, lookAtUser } from '../../../outside/aws/users.ts'
import { motoWithinMs } from '../../harness/moto.ts'
import { openRemoteWorld, type RemoteWorld, unique } from './remote-world.ts'

describe('a deleted remote store (moto stands in for AWS)', function () {
  this.timeout(60_000)
  let world: RemoteWorld

  before(async function () {
    this.timeout(motoWithinMs)
    world = await openRemoteWorld()
  })
  after(() => world.close())

  const account = () => world.moto.account()
  const secretOf = (store: ObjectStore) => world.secretOf(store)
  const messageOf = (store: ObjectStore) => world.messageOf(store)

  it('leaves nothing of a deleted one: objects, versions, uploads, bucket, key, policy, user, Secret', async () => {
    const store = await world.create()
    const [bucket = ''] = store.spec.buckets
    await world.reconcile(store)
    await account().s3((s3) =>
      s3.putBucketVersioning({ Bucket: bucket, VersioningConfiguration: { Status: 'Enabled' } }),
    )
    for (const Key of ['a', 'a', 'b']) await account().s3((s3) => s3.putObject({ Bucket: bucket, Key, Body: Key }))
    await account().s3((s3) => s3.deleteObject({ Bucket: bucket, Key: 'b' }))
    await account().s3((s3) => s3.createMultipartUpload({ Bucket: bucket, Key: 'c' }))
    await world.remove(store)
    expect((await world.pass(store)).outcome).to.equal('done')
    expect(await world.records.objectStores.readLive(store.metadata.name)).to.equal(undefined)
    expect((await lookAtBucket(account(), bucket)).found).to.equal('absent')
    expect(await lookAtUser(account(), userNameOf(store.metadata.name))).to.equal(undefined)
    expect(await secretOf(store)).to.equal(undefined)
  })

  it('keeps a bucket that it did not make, and one whose createBucket was set to false since', async () => {
    const bucket = unique('kept')
    await createBucket(account(), bucket, {})
    await tagBucket(account(), bucket, { team: 'shop' })
    const user = await world.create({ buckets: [bucket], createBucket: false })
    await world.reconcile(user)
    await world.remove(user)
    await world.reconcile(user)
    expect(await lookAtBucket(account(), bucket)).to.deep.include({ found: 'open', tags: { team: 'shop' } })
    const maker = await world.create()
    const [made = ''] = maker.spec.buckets
    await world.reconcile(maker)
    await world.records.objectStores.edit(maker.metadata.name, (current) => ({
      ...current,
      spec: { ...current.spec, createBucket: false },
    }))
    await world.remove(maker)
    await world.reconcile(maker)
    expect(await lookAtBucket(account(), made)).to.deep.include({ found: 'open', tags: {} })
  })

  it('goes at once when nothing was made for it, and removes what was half made', async () => {
    const untouched = await world.create({ connectionRef: { name: 'nobody' } })
    await world.remove(untouched)
    expect((await world.pass(untouched)).outcome).to.equal('done')
    const half = await world.create()
    world.proxy.add({ operation: 'PutUserPolicy', fault: 'access denied', about: userNameOf(half.metadata.name) })
    expect((await world.reconcile(half, 1)).at(-1)).to.include({
      outcome: 'failing',
      message: '403: AccessDenied: User is not authorized to perform this action',
    })
    await world.remove(half)
    expect((await world.pass(half)).outcome).to.equal('done')
    expect(await lookAtUser(account(), userNameOf(half.metadata.name))).to.equal(undefined)
    expect((await lookAtBucket(account(), half.spec.buckets[0] ?? '')).found).to.equal('absent')
  })

  it('takes along a bucket whose making was interrupted before its tags were there', async () => {
    const store = await world.create()
    const [bucket = ''] = store.spec.buckets
    const { heal } = world.proxy.add({ operation: 'PutBucketTagging', fault: 'access denied', about: bucket })
    expect((await world.pass(store)).outcome).to.equal('failing')
    expect(await lookAtBucket(account(), bucket)).to.deep.include({ found: 'open', tags: {} })
    heal()
    await world.remove(store)
    expect(await messageOf(store)).to.equal('done: ')
    expect((await lookAtBucket(account(), bucket)).found).to.equal('absent')
  })

  it('says that its bucket is being emptied when that takes longer than a pass', async () => {
    const store = await world.create()
    const [Bucket = ''] = store.spec.buckets
    await world.reconcile(store)
    await account().s3((s3) => s3.putObject({ Bucket, Key: 'a', Body: 'a' }))
    await account().s3((s3) => s3.createMultipartUpload({ Bucket, Key: 'b' }))
    await world.remove(store)
    const deleted = await world.read(store)
    expect(
      await world.hurried.emptyRemoteStore({
        name: deleted.metadata.name,
        uid: deleted.metadata.uid ?? '',
        intent: provisionPlan(storeRules, deleted.metadata.name, deleted).intent,
      }),
    ).to.include({
      outcome: 'waiting',
      message: `waiting for bucket ${Bucket} to be emptied`,
    })
    expect(await messageOf(store)).to.equal('done: ')
  })

  it('waits for what was asked of AWS before the deletion, and removes what came about late', async () => {
    const store = await world.create()
    const [bucket = ''] = store.spec.buckets
    await world.reconcile(store)
    await world.remove(store)
    const deleted = await world.read(store)
    const { name, uid, intent } = provisionPlan(storeRules, store.metadata.name, deleted)
    const asked = { name, uid, intent }
    await world.remote.emptyRemoteStore(asked)
    await world.remote.removeRemoteUser(asked)
    expect(await world.hurried.awaitCutOffCalls(asked)).to.include({
      outcome: 'waiting',
      message: 'waiting for what was asked of AWS before the deletion to come about',
    })
    await createBucket(account(), bucket, ownerTags(deleted))
    await createUser(account(), userNameOf(name), ownerTags(deleted))
    expect(await messageOf(store)).to.equal('done: ')
    expect([
      (await lookAtBucket(account(), bucket)).found,
      await lookAtUser(account(), userNameOf(name)),
    ]).to.deep.equal(['absent', undefined])
  })

  it('goes on emptying where an earlier pass was stopped by AWS', async () => {
    const store = await world.create()
    const [bucket = ''] = store.spec.buckets
    await world.reconcile(store)
    await account().s3((s3) => s3.putObject({ Bucket: bucket, Key: 'a', Body: 'a' }))
    const { heal } = world.proxy.add({ operation: 'ListObjectVersions', fault: 'throttled', about: bucket })
    await world.remove(store)
    expect(await messageOf(store)).to.equal('waiting: 503: SlowDown: Please reduce your request rate.')
    heal()
    expect(await messageOf(store)).to.equal('done: ')
    expect((await lookAtBucket(account(), bucket)).found).to.equal('absent')
  })

  it('is not removed as long as its bucket may not be looked at', async () => {
    const store = await world.create()
    const [bucket = ''] = store.spec.buckets
    await world.reconcile(store)
    const { heal } = world.proxy.add({ operation: 'HeadBucket', fault: 'access denied', about: bucket })
    await world.remove(store)
    expect(await messageOf(store)).to.equal(
      `failing: bucket ${bucket} was made for this store, and the cloud connection may not look at it any more`,
    )
    heal()
    expect(await messageOf(store)).to.equal('done: ')
  })
})
