/** What the steps of a remote store make at AWS, which moto stands in for, and what they refuse. */
import { expect } from 'chai'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { labels } from '../../../kinds/meta/annotations.ts'
import type { ObjectStore } from '../../../kinds/object-stores/kind.ts'
import { policyName, userNameOf } from '../../../kinds/object-stores/remote.ts'
import { createAws } from '../../../outside/aws/account.ts'
import { createBucket, lookAtBucket, tagBucket } from '../../../outside/aws/buckets.ts'
import { createKey, createUser, listKeys, lookAtUser } from '../../../outside/aws/users.ts'
import { motoWithinMs } from '../../harness/moto.ts'
import { openRemoteWorld, type RemoteWorld, unique } from './remote-world.ts'

describe('a remote store at AWS (moto stands in for it)', function () {
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

  it('has its buckets, one user, one policy and one key, which the connection Secret holds', async () => {
    const buckets = [unique('one'), unique('two')]
    const store = await world.create({ buckets, region: 'eu-west-1' })
    expect((await world.pass(store)).outcome).to.equal('done')
    const user = userNameOf(store.metadata.name)
    const secret = await secretOf(store)
    expect(Object.keys(secret ?? {}).sort()).to.deep.equal(['accessKey', 'bucket', 'endpoint', 'secretKey'])
    expect(secret).to.include({ bucket: buckets[0], endpoint: world.proxy.url })
    expect(await listKeys(account(), user)).to.deep.equal([secret?.['accessKey']])
    expect((await lookAtUser(account(), user))?.[labels.owner]).to.equal(store.metadata.uid)
    for (const bucket of buckets) {
      const look = await lookAtBucket(world.moto.account('eu-west-1'), bucket)
      expect(look).to.deep.include({ found: 'open', region: 'eu-west-1' })
      expect(look.found === 'open' ? look.tags[labels.owner] : undefined).to.equal(store.metadata.uid)
    }
    const { PolicyDocument = '' } = await account().iam((iam) =>
      iam.getUserPolicy({ UserName: user, PolicyName: policyName }),
    )
    expect(decodeURIComponent(PolicyDocument)).to.include(`arn:aws:s3:::${buckets[1] ?? ''}/*`)
    expect((await world.read(store)).status?.remote).to.deep.equal({
      connection: world.connection,
      user,
      made: buckets,
    })
  })

  it('changes nothing when every step runs again', async () => {
    const store = await world.create()
    await world.reconcile(store)
    const [secret, record] = [await secretOf(store), await world.read(store)]
    const asked = world.proxy.asked(store.metadata.name).length
    expect((await world.pass(store)).outcome).to.equal('done')
    expect(await secretOf(store)).to.deep.equal(secret)
    expect((await world.read(store)).metadata.resourceVersion).to.equal(record.metadata.resourceVersion)
    const writes = world.proxy
      .asked(store.metadata.name)
      .slice(asked)
      .filter((operation) => /^(Create|Put|Delete)/.test(operation))
    expect(writes).to.deep.equal([])
  })

  it('makes a new key when the Secret was deleted, and never keeps two', async () => {
    const store = await world.create()
    await world.reconcile(store)
    const before = await secretOf(store)
    await world.records.client.delete({
      type: coreTypes.secret,
      namespace: `${world.project}-production`,
      name: `${store.metadata.name}-connection`,
    })
    await world.reconcile(store)
    const after = await secretOf(store)
    expect(after?.['accessKey']).not.to.equal(before?.['accessKey'])
    expect(await listKeys(account(), userNameOf(store.metadata.name))).to.deep.equal([after?.['accessKey']])
    await createKey(account(), userNameOf(store.metadata.name))
    await world.reconcile(store)
    expect(await listKeys(account(), userNameOf(store.metadata.name))).to.deep.equal([after?.['accessKey']])
  })

  it('makes user, policy, key and bucket again when they were removed at AWS', async () => {
    const store = await world.create()
    const [bucket = ''] = store.spec.buckets
    await world.reconcile(store)
    const before = await secretOf(store)
    const user = userNameOf(store.metadata.name)
    await account().iam((iam) => iam.deleteAccessKey({ UserName: user, AccessKeyId: before?.['accessKey'] ?? '' }))
    await account().iam((iam) => iam.deleteUserPolicy({ UserName: user, PolicyName: policyName }))
    await account().iam((iam) => iam.deleteUser({ UserName: user }))
    await account().s3((s3) => s3.deleteBucket({ Bucket: bucket }))
    await world.reconcile(store)
    expect(await listKeys(account(), user)).to.deep.equal([(await secretOf(store))?.['accessKey']])
    expect((await lookAtBucket(account(), bucket)).found).to.equal('open')
  })

  it('adopts an empty bucket that it noted before its tags were there, and no other', async () => {
    const store = await world.create()
    const [bucket = ''] = store.spec.buckets
    await world.pass(store)
    await tagBucket(account(), bucket, {})
    expect(await messageOf(store)).to.equal('done: ')
    await tagBucket(account(), bucket, {})
    await account().s3((s3) => s3.putObject({ Bucket: bucket, Key: 'a', Body: 'a' }))
    expect(await messageOf(store)).to.equal(
      `failing: bucket ${bucket} was not made for this store; turn createBucket off to use it as it is`,
    )
  })

  it('refuses buckets and users that are not its own', async () => {
    const bucket = unique('foreign')
    await createBucket(account(), bucket, {})
    expect(await messageOf(await world.create({ buckets: [bucket] }))).to.equal(
      `failing: bucket ${bucket} was not made for this store; turn createBucket off to use it as it is`,
    )
    expect(await messageOf(await world.create({ buckets: [bucket], createBucket: false }))).to.equal('done: ')
    expect(
      await messageOf(await world.create({ buckets: [bucket], createBucket: false, region: 'eu-west-1' })),
    ).to.equal(`failing: bucket ${bucket} is in region us-east-1, not in eu-west-1`)
    const other = await world.create()
    await world.reconcile(other)
    const [taken = ''] = other.spec.buckets
    for (const createBucketToo of [true, false]) {
      expect(await messageOf(await world.create({ buckets: [taken], createBucket: createBucketToo }))).to.equal(
        `failing: bucket ${taken} belongs to another store: ${other.metadata.name}`,
      )
    }
    const missing = unique('missing')
    expect(await messageOf(await world.create({ buckets: [missing], createBucket: false }))).to.equal(
      `failing: bucket ${missing} does not exist, and createBucket is off`,
    )
    const name = unique('taken')
    await createUser(account(), userNameOf(name), {})
    expect(await messageOf(await world.create({}, name))).to.equal(
      `failing: user ${userNameOf(name)} exists and was not made for this store`,
    )
    const closed = unique('closed')
    world.proxy.add({ operation: 'HeadBucket', fault: 'access denied', about: closed })
    expect(await messageOf(await world.create({ buckets: [closed] }))).to.equal(
      `failing: bucket ${closed} belongs to another account, or the cloud connection may not look at it`,
    )
  })

  it('refuses a Secret of its name that another owner made', async () => {
    const store = await world.create()
    const name = `${store.metadata.name}-connection`
    const namespace = `${world.project}-production`
    await world.records.client.create(coreTypes.secret, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace },
    })
    expect(await messageOf(store)).to.equal(
      `failing: Secret ${name} in namespace ${namespace} belongs to another owner; rename the service or remove that object`,
    )
    expect(await listKeys(account(), userNameOf(store.metadata.name))).to.deep.equal([])
  })

  it('stays with the connection that it has something at', async () => {
    const store = await world.create()
    await world.reconcile(store)
    await world.records.objectStores.edit(store.metadata.name, (current) => ({
      ...current,
      spec: { ...current.spec, connectionRef: { name: 'another' } },
    }))
    expect(await messageOf(store)).to.equal(
      `failing: the store was made with cloud connection ${world.connection} and cannot be moved to another`,
    )
    const free = await world.create({ buckets: [unique('missing')], createBucket: false })
    expect(await messageOf(free)).to.match(/does not exist/)
    await world.records.objectStores.edit(free.metadata.name, (current) => ({
      ...current,
      spec: { ...current.spec, connectionRef: { name: 'another' } },
    }))
    expect(await messageOf(free)).to.equal('waiting: cloud connection another is missing')
  })

  it('says why its connection cannot be used', async () => {
    const { client } = world.records
    const cases: [object, string][] = [
      [{ connectionRef: { name: '' } }, 'waiting: connectionRef is required for a remote store'],
      [{ connectionRef: { name: 'absent' } }, 'waiting: cloud connection absent is missing'],
    ]
    for (const [spec, message] of cases) expect(await messageOf(await world.create(spec))).to.equal(message)
    const make = async (spec: object, keys: Record<string, string> | undefined): Promise<string> => {
      const name = unique('account')
      const metadata = { name, namespace: 'svc-system' }
      const full = {
        provider: 'AWS' as const,
        project: world.project,
        region: '',
        organization: '',
        secretRef: { name: `${name}-credentials` },
        ...spec,
      }
      await world.records.cloudConnections.create({
        apiVersion: 'svc.svc.dev/v1alpha1',
        kind: 'SvcCloudConnection',
        metadata,
        spec: full,
      })
      if (keys !== undefined) {
        const labelled = { ...metadata, name: `${name}-credentials`, labels: { 'svc.dev/project': world.project } }
        await client.create(coreTypes.secret, { apiVersion: 'v1', kind: 'Secret', metadata: labelled, data: keys })
      }
      return name
    }
    const rows: [object, Record<string, string> | undefined, (name: string) => string][] = [
      [
        { project: 'proj-00000000' },
        undefined,
        (name) => `waiting: cloud connection ${name} is not scoped to this project`,
      ],
      [
        { provider: 'PlanetScale' },
        undefined,
        (name) => `waiting: cloud connection ${name} has the wrong provider: PlanetScale, not AWS`,
      ],
      [
        {},
        undefined,
        (name) =>
          `waiting: cloud connection ${name} is incomplete: Secret ${name}-credentials is missing, or lacks the label svc.dev/project=${world.project}`,
      ],
      [
        {},
        { accessKeyId: 'YWFh' },
        (name) => `waiting: cloud connection ${name} is incomplete: Secret ${name}-credentials lacks secretAccessKey`,
      ],
    ]
    for (const [spec, keys, message] of rows) {
      const name = await make(spec, keys)
      expect(await messageOf(await world.create({ connectionRef: { name } }))).to.equal(message(name))
      await world.records.cloudConnections.remove(
        name,
        (await world.records.cloudConnections.readLive(name))?.metadata.uid ?? '',
      )
    }
  })

  it('waits until AWS shows everywhere what it has made', async () => {
    const store = await world.create()
    const [about = ''] = store.spec.buckets
    const bucket = world.proxy.add({ operation: 'HeadBucket', fault: 'absent', about })
    expect(await messageOf(store)).to.equal(`waiting: waiting for bucket ${about} to appear`)
    bucket.heal()
    const name = userNameOf(store.metadata.name)
    const user = world.proxy.add({ operation: 'GetUser', fault: 'absent', about: name })
    expect(await messageOf(store)).to.equal(`waiting: waiting for user ${name} to appear`)
    user.heal()
    expect(await messageOf(store)).to.equal('done: ')
  })

  it('gives keys that open its own bucket and no other', async () => {
    const [mine, other] = [await world.create(), await world.create()]
    await Promise.all([world.reconcile(mine), world.reconcile(other)])
    const { accessKey = '', secretKey = '' } = (await secretOf(mine)) ?? {}
    const own = createAws({ endpoint: world.moto.url, callMs: 20_000, attempts: 1 }).account(
      { accessKeyId: accessKey, secretAccessKey: secretKey },
      'us-east-1',
    )
    const refusal = (asked: Promise<unknown>): Promise<string> =>
      asked.then(
        () => 'allowed',
        (error: Error) => error.message.slice(0, 3),
      )
    await world.moto.enforce(true)
    try {
      const [Bucket = '', Foreign = ''] = [mine.spec.buckets[0], other.spec.buckets[0]]
      await own.s3((s3) => s3.putObject({ Bucket, Key: 'a', Body: 'a' }))
      await own.s3((s3) => s3.getObject({ Bucket, Key: 'a' }))
      await own.s3((s3) => s3.listObjectsV2({ Bucket }))
      await own.s3((s3) => s3.deleteObject({ Bucket, Key: 'a' }))
      expect(await refusal(own.s3((s3) => s3.putObject({ Bucket: Foreign, Key: 'a', Body: 'a' })))).to.equal('403')
      expect(await refusal(own.s3((s3) => s3.getObject({ Bucket: Foreign, Key: 'a' })))).to.equal('403')
      expect(await refusal(own.s3((s3) => s3.listObjectsV2({ Bucket: Foreign })))).to.equal('403')
      expect(await refusal(own.s3((s3) => s3.deleteObject({ Bucket: Foreign, Key: 'a' })))).to.equal('403')
      expect(await refusal(own.s3((s3) => s3.createMultipartUpload({ Bucket: Foreign, Key: 'a' })))).to.equal('403')
      expect(
        await refusal(own.iam((iam) => iam.createAccessKey({ UserName: userNameOf(mine.metadata.name) }))),
      ).to.equal('403')
    } finally {
      await world.moto.enforce(false)
      own.close()
    }
  })

  it('does not take a bucket for its own whose name another account took at the last moment', async () => {
    const store = await world.create()
    const [about = ''] = store.spec.buckets
    const closes = async () => void world.proxy.add({ operation: 'HeadBucket', fault: 'access denied', about })
    world.proxy.add({ operation: 'CreateBucket', fault: 'taken', about, meanwhile: closes })
    expect(await messageOf(store)).to.equal(
      `failing: bucket ${about} belongs to another account, or the cloud connection may not look at it`,
    )
    expect((await world.read(store)).status?.remote?.made).to.deep.equal([])
  })

  it('is not ready before AWS lets its own key in', async () => {
    const store = await world.create()
    await world.reconcile(store)
    const { accessKey = '' } = (await secretOf(store)) ?? {}
    const { heal } = world.proxy.add({ operation: 'HeadBucket', fault: 'access denied', about: accessKey })
    expect(await messageOf(store)).to.equal('waiting: waiting for AWS to let the key of the store in')
    heal()
    expect(await messageOf(store)).to.equal('done: ')
  })
})
