/**
 * The workflow of remote stores with a worker, on the simulated cluster; moto stands in for AWS behind a proxy that
 * injects faults.
 */
import type { CoreV1Event } from '@kubernetes/client-node'
import { expect } from 'chai'
import { lostAtAws } from '../../activities/object-stores/lost-at-aws.ts'
import { annotations, finalizers } from '../../kinds/meta/annotations.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import { storeState } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { policyName, userNameOf } from '../../kinds/object-stores/remote.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { createAws } from '../../outside/aws/account.ts'
import { deleteBucket, lookAtBucket } from '../../outside/aws/buckets.ts'
import { deleteKeys, deleteUser, listKeys, lookAtUser } from '../../outside/aws/users.ts'
import { createPlanetScale, planetScaleSettings } from '../../outside/planetscale/planetscale.ts'
import { askStoreDeletion } from '../../records/object-stores/ask-deletion.ts'
import { eventually } from '../cluster/eventually.ts'
import { motoWithinMs } from '../harness/moto.ts'
import { removeStore, secretValues, untilGone, untilReady, untilSaid } from '../harness/object-server.ts'
import { until } from '../harness/records.ts'
import { type CloudWorld, openCloudWorld, unique } from './cloud-world.ts'

describe('a remote store with a worker (moto stands in for AWS)', function () {
  this.timeout(90_000)
  let world: CloudWorld

  before(async function () {
    this.timeout(motoWithinMs)
    world = await openCloudWorld()
  })
  after(() => world.close())

  const aws = () => world.moto.account()
  const edit = (store: ObjectStore, spec: object, notes: object = {}) =>
    world.records.objectStores.edit(store.metadata.name, (current) => ({
      ...current,
      metadata: { ...current.metadata, annotations: { ...current.metadata.annotations, ...notes } },
      spec: { ...current.spec, ...spec },
    }))
  const secretOf = ({ spec, metadata }: ObjectStore) =>
    secretValues(namespaceOf(spec.project, spec.environment), `${metadata.name}-connection`)
  const [about, limitMs] = [(store: ObjectStore) => userNameOf(store.metadata.name), 30_000]

  it('as a draft waits for its deploy; deployed it is ready, with its Secret and its address', async () => {
    const draft = await world.store({}, { [annotations.deployWorkflow]: 'true' })
    const waits = await untilSaid(world.records, draft, 'Resource is configured and waiting for deployment')
    expect(readyOf(waits.status?.conditions)).to.include({ status: 'False', reason: 'ReconcileError' })
    expect(await lookAtUser(aws(), about(draft))).to.equal(undefined)
    await edit(draft, { deploy: { enabled: true } })
    const ready = await untilReady(world.records, draft)
    expect(readyOf(ready.status?.conditions)).to.include({
      status: 'True',
      reason: 'ObjectStoreReady',
      message: 'remote bucket ready',
    })
    expect(ready.metadata.finalizers).to.deep.equal([finalizers.objectStore])
    expect(ready.status).to.include({
      targetNamespace: namespaceOf(draft.spec.project, 'production'),
      connectionSecret: `${draft.metadata.name}-connection`,
      endpoint: world.proxy.url,
    })
    expect(storeState(ready)).to.deep.equal({ state: 'ready', message: '' })
    expect(await listKeys(aws(), about(draft))).to.deep.equal([(await secretOf(draft))?.['accessKey']])
  })

  it('waits for its bucket name and for its connection, and goes on when it is there', async () => {
    const connection = unique('account')
    const store = await world.store({ buckets: [], connectionRef: { name: connection } })
    await untilSaid(world.records, store, 'Configure the bucket name in settings, then deploy')
    await edit(store, { buckets: [unique('bucket')] })
    await untilSaid(world.records, store, `cloud connection ${connection} is missing`)
    await world.connect({ name: connection })
    await untilReady(world.records, store)
  })

  it('fails when AWS refuses it for too long, with the words of AWS, and is ready after a retry', async () => {
    const store = await world.store({ deploy: { enabled: true } })
    const { heal } = world.proxy.add({ operation: 'CreateUser', fault: 'access denied', about: about(store) })
    const failed = await until(
      world.records.objectStores,
      store,
      (record) => record !== undefined && storeState(record).state === 'failed',
      'failed',
    )
    expect(readyOf(failed.status?.conditions)).to.include({
      reason: 'ProvisionFailed',
      message: '403: AccessDenied: User is not authorized to perform this action',
    })
    heal()
    await edit(store, {}, { [annotations.retry]: unique('retry') })
    await untilReady(world.records, store)
  })

  it('waits as long as AWS throttles, and is ready when it no longer does', async () => {
    const store = await world.store()
    const { heal, used } = world.proxy.add({ operation: 'PutUserPolicy', fault: 'throttled', about: about(store) })
    await untilSaid(world.records, store, '503: SlowDown: Please reduce your request rate.')
    await eventually('more passes than a failure may take', () => used() > 8, limitMs)
    expect(
      readyOf((await world.records.objectStores.readLive(store.metadata.name))?.status?.conditions)?.reason,
    ).to.equal('ReconcileError')
    heal()
    await untilReady(world.records, store)
  })

  it('gets another key when its Secret is deleted', async () => {
    const store = await untilReady(world.records, await world.store())
    const before = (await secretOf(store))?.['accessKey']
    const name = `${store.metadata.name}-connection`
    await world.records.client.delete({
      type: coreTypes.secret,
      namespace: namespaceOf(store.spec.project, 'production'),
      name,
    })
    await eventually(
      'another key',
      async () => ![undefined, before].includes((await secretOf(store))?.['accessKey']),
      limitMs,
    )
    await eventually(
      'one key',
      async () => (await listKeys(aws(), about(store))).join() === (await secretOf(store))?.['accessKey'],
      limitMs,
    )
  })

  it('is noticed by the regular comparison when its user or its bucket is gone at AWS', async () => {
    const { records, moto, proxy } = world
    const clouds = {
      aws: createAws({ endpoint: proxy.url, callMs: 20_000, attempts: 1 }),
      planetScale: createPlanetScale(planetScaleSettings({})),
    }
    const lost = async () => (await lostAtAws({ ...records, clouds })).map(({ metadata }) => metadata.name)
    const store = await untilReady(records, await world.store())
    const other = await untilReady(records, await world.store())
    expect(await lost()).not.to.include.members([store.metadata.name])
    await deleteKeys(moto.account(), about(store))
    await deleteUser(moto.account(), about(store), policyName)
    // A pass of the worker that began before makes the bucket anew.
    const areLost = async () => {
      await deleteBucket(moto.account(), other.spec.buckets[0] ?? '')
      const names = await lost()
      return [store, other].every(({ metadata }) => names.includes(metadata.name))
    }
    await eventually('both are noticed', areLost, limitMs)
  })

  it('takes an edit that comes while it waits, and one of a ready one', async () => {
    const store = await world.store({ buckets: [unique('missing')], createBucket: false })
    await untilSaid(world.records, store, /does not exist, and createBucket is off$/)
    const [first, second] = [unique('bucket'), unique('bucket')]
    await edit(store, { buckets: [first], createBucket: true })
    await untilReady(world.records, store)
    await edit(store, { buckets: [second] })
    await eventually('the other bucket', async () => (await secretOf(store))?.['bucket'] === second, limitMs)
    await untilReady(world.records, store)
    await removeStore(world.records, store)
    for (const bucket of [first, second]) expect((await lookAtBucket(aws(), bucket)).found).to.equal('absent')
  })

  it('deleted while it goes on, or half made, leaves nothing behind', async () => {
    const store = await world.store()
    world.proxy.add({ operation: 'CreateAccessKey', fault: 'throttled', about: about(store) })
    await untilSaid(world.records, store, /SlowDown/)
    expect((await lookAtBucket(aws(), store.spec.buckets[0] ?? '')).found).to.equal('open')
    await removeStore(world.records, store)
    expect((await lookAtBucket(aws(), store.spec.buckets[0] ?? '')).found).to.equal('absent')
    expect(await lookAtUser(aws(), about(store))).to.equal(undefined)
  })

  it('says what its deletion waits for at AWS, and goes when that is over', async () => {
    const store = await untilReady(world.records, await world.store())
    const { heal } = world.proxy.add({ operation: 'DeleteUser', fault: 'internal error', about: about(store) })
    await world.records.objectStores.remove(store.metadata.name, store.metadata.uid ?? '')
    const held = await untilSaid(
      world.records,
      store,
      '500: InternalError: We encountered an internal error. Please try again.',
    )
    expect(readyOf(held.status?.conditions)).to.include({ status: 'False', reason: 'ReconcileError' })
    heal()
    await untilGone(world.records, store)
    expect(await secretOf(store)).to.equal(undefined)
  })

  describe('whose keys are refused for good', () => {
    const refusedOnes = [
      'GetUser',
      'HeadBucket',
      'GetBucketTagging',
      'DeleteAccessKey',
      'ListAccessKeys',
      'DeleteUser',
      'DeleteBucket',
    ]

    const refused = async () => {
      const store = await untilReady(world.records, await world.store())
      for (const operation of refusedOnes) world.proxy.add({ operation, fault: 'access denied', about: about(store) })
      return store
    }
    const note = (store: ObjectStore, value: string) => edit(store, {}, { [annotations.abandon]: value })
    const refusal = '403: AccessDenied: User is not authorized to perform this action'
    const eventsOf = async ({ metadata }: ObjectStore) =>
      (
        await world.records.client.list<CoreV1Event & KubeObject>(coreTypes.event, { namespace: systemNamespace })
      ).items.filter(({ reason, involvedObject }) => reason === 'Abandoned' && involvedObject.uid === metadata.uid)

    it('stays Terminating until an admin abandons it by its own name; what stays at AWS is reported', async () => {
      const store = await refused()
      const { accessKey = '', secretKey = '' } = (await secretOf(store)) ?? {}
      expect(secretKey).not.to.equal('')
      expect(await askStoreDeletion(world.records, store, store.metadata.name)).to.deep.equal([])
      await untilSaid(world.records, store, refusal)
      await note(store, 'another-store')
      const asked = world.proxy.asked(about(store)).length
      await eventually('some more passes', async () => world.proxy.asked(about(store)).length > asked + 3, limitMs)
      expect((await world.records.objectStores.readLive(store.metadata.name))?.metadata.finalizers).to.deep.equal([
        finalizers.objectStore,
      ])
      const stays = await askStoreDeletion(world.records, store, store.metadata.name, { abandon: true })
      const user = `user ${about(store)} with its policy ${policyName} and its access key (cloud connection ${world.connection})`
      expect(stays).to.deep.equal([`bucket ${store.spec.buckets[0] ?? ''}`, user])
      await untilGone(world.records, store)
      expect(await secretOf(store)).to.equal(undefined)
      expect(await listKeys(aws(), about(store)), 'they do stay').to.deep.equal([accessKey])
      const events = await eventsOf(store)
      expect(events.map(({ message }) => message)).to.deep.equal([
        `deleted without asking the cloud; what stays there: ${stays.join(', ')}`,
      ])
      const text = await world.everythingWritten(`object-store/${store.metadata.name}`)
      expect(text).to.include('a record was removed without asking its cloud')
      for (const form of [secretKey, Buffer.from(secretKey).toString('base64')])
        expect(text.includes(form)).to.equal(false)
    })

    it('is not abandoned by the annotation on a record that is not deleted', async () => {
      const store = await untilReady(world.records, await world.store())
      await note(store, store.metadata.name)
      await edit(store, { buckets: [unique('bucket')] })
      await eventually(
        'the other bucket',
        async () => ![undefined, store.spec.buckets[0]].includes((await secretOf(store))?.['bucket']),
        limitMs,
      )
      const ready = await untilReady(world.records, store)
      expect(ready.metadata.deletionTimestamp).to.equal(undefined)
      expect(await lookAtUser(aws(), about(store))).not.to.equal(undefined)
      expect(await eventsOf(store)).to.deep.equal([])
    })
  })

  it('is taken down with its project, by kubectl too, and its connection after it', async () => {
    const other = await openCloudProject()
    const store = await untilReady(
      world.records,
      await world.store({ project: other.project, connectionRef: { name: other.connection } }),
    )
    await world.records.projects.remove(other.project, other.uid)
    await until(world.records.projects, { metadata: { name: other.project } }, (record) => record === undefined, 'gone')
    expect(await world.records.objectStores.readLive(store.metadata.name)).to.equal(undefined)
    expect(await world.records.cloudConnections.readLive(other.connection)).to.equal(undefined)
    expect(await secretValues(systemNamespace, `${other.connection}-credentials`)).to.equal(undefined)
    expect((await lookAtBucket(aws(), store.spec.buckets[0] ?? '')).found).to.equal('absent')
    expect(await lookAtUser(aws(), about(store))).to.equal(undefined)
  })
  const openCloudProject = async () => {
    const { metadata } = await world.makeProject()
    const connection = unique('account')
    await world.connect({ name: connection, project: metadata.name })
    return { project: metadata.name, uid: metadata.uid ?? '', connection }
  }

  it('keeps every secret key out of histories, events, records and the log of the worker', async () => {
    const store = await untilReady(world.records, await world.store())
    const { secretKey = '' } = (await secretOf(store)) ?? {}
    expect(secretKey).not.to.equal('')
    await removeStore(world.records, store)
    const text = await world.everythingWritten(`object-store/${store.metadata.name}`)
    expect(text).to.include(store.metadata.name)
    for (const secret of [secretKey, world.moto.keys.secretAccessKey]) {
      for (const form of [secret, Buffer.from(secret).toString('base64')]) expect(text.includes(form)).to.equal(false)
    }
  })
})
