/**
 * Every activity of an object store runs twice in a row, on the simulated cluster with a real MinIO: the second run
 * changes nothing anywhere.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ActivityInterfaceFor } from '@temporalio/workflow'
import { expect } from 'chai'
import type { ActivityNeeds } from '../../activities/context/needs.ts'
import { createObjectStoreActivities } from '../../activities/object-stores/activities.ts'
import { lostOnServer } from '../../activities/object-stores/lost-on-server.ts'
import type { StepInput } from '../../activities/provision/context.ts'
import { silentLog } from '../../cluster/objects/log.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { storeRules } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { ownerTag } from '../../kinds/object-stores/names.ts'
import { provisionPlan } from '../../kinds/provision/plan.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { connectMinioAdmin } from '../../outside/minio/admin.ts'
import { bucketTags, createBucket, listBuckets, reachesBucket, tagBucket } from '../../outside/minio/buckets.ts'
import { connectS3, type MinioS3 } from '../../outside/minio/s3.ts'
import { recordStore } from '../../records/store/record-store.ts'
import { createWorkerCaches, type WorkerCaches } from '../../temporal/caches/worker-caches.ts'
import { storeRemovals, storeSteps } from '../../workflows/object-stores/work.ts'
import { eventually } from '../cluster/eventually.ts'
import { type EffectProxy, startEffectProxy } from '../harness/minio-effects.ts'
import { minioWithinMs } from '../harness/minio.ts'
import { createBucketStore, type ObjectServerWorld, openObjectServer, untilGone } from '../harness/object-server.ts'
import { startTestWorker, useWorker } from '../harness/worker.ts'
import { mortalClient } from '../kill/mortal-client.ts'

const never = Number.MAX_SAFE_INTEGER

type Activities = ReturnType<typeof createObjectStoreActivities>
type Activity = (input: StepInput) => Promise<object>

describe('Every activity of an object store, run twice', function () {
  this.timeout(minioWithinMs)
  const changes: string[] = []
  let world: ObjectServerWorld
  let proxy: EffectProxy
  let caches: WorkerCaches
  let activities: Activities
  let needs: ActivityNeeds
  let writes: () => number
  let minio: MinioS3
  /** Holds a change of the server as long as it takes. */
  let beforeChange = async (_effect: string): Promise<void> => undefined

  before(async () => {
    proxy = await startEffectProxy(async (effect, moment) => {
      if (moment === 'after') changes.push(effect)
      else await beforeChange(effect)
      return false
    })
    world = await openObjectServer(async (env) => {
      proxy.target = env['SVC_OBJECT_SERVER_ENDPOINT'] ?? ''
      return startTestWorker({}, 'temporal/main.ts', env)
    })
    // From here on only this test works on the records.
    await world.stopWorker()
    minio = connectS3(world.minio)
    const counted = mortalClient(world.records.client, () => {
      throw new Error('no process dies here')
    })
    counted.arm({ when: 'before', write: never, about: '' })
    const { client } = counted
    writes = counted.writes
    caches = createWorkerCaches(client, silentLog)
    await caches.start()
    needs = {
      client,
      projects: recordStore(client, caches.projects, resourceTypes.project),
      objectStores: recordStore(client, caches.data.objectStores, resourceTypes.objectStore),
      access: async () => true, // the workflow of the project binds the access
      children: caches.children,
      objectServer: { image: 'minio/minio:latest', endpoint: proxy.url },
      now: () => new Date(),
    } as unknown as ActivityNeeds // all that these activities use
    activities = createObjectStoreActivities(needs)
  })
  after(async () => {
    minio?.end()
    await caches?.stop()
    await useWorker() // a worker removes the project
    await world?.end()
    await proxy?.close()
  })

  /** The steps in the order of the workflow, called without Temporal. */
  const calls = () => activities as unknown as ActivityInterfaceFor<Activities>
  const inputOf = async ({ metadata: { name } }: ObjectStore): Promise<StepInput> => {
    const { uid, intent } = provisionPlan(storeRules, name, await world.records.objectStores.readLive(name))
    return { name, uid, intent }
  }
  /**
   * Runs the activity until it is done, then once more; returns what the last run changes on the cluster and the
   * server.
   */
  const again = async (store: ObjectStore, activity: Activity): Promise<string[]> => {
    const input = await inputOf(store)
    const run = async (): Promise<{ outcome: unknown }> => ({ outcome: 'done', ...(await activity(input)) })
    await eventually('the first run is done', async () => (await run()).outcome === 'done', 45_000)
    const before = writes()
    changes.length = 0
    const second = await run()
    expect(second.outcome, JSON.stringify(second)).to.be.oneOf(['done', 'changed'])
    return [...changes, ...Array.from({ length: writes() - before }, () => 'a write to the cluster')]
  }

  it('of a bucket that is made, and none finds anything to repair in it afterwards', async () => {
    const store = await createBucketStore(world.records, world.project, { buckets: ['one', 'two'] })
    for (const activity of [activities.takeUpStore, ...storeSteps(calls, 'local'), activities.finishStore]) {
      expect(await again(store, activity)).to.deep.equal([])
    }
    await caches.data.objectStores.waitFor(
      (record) => record?.status?.observedIntent !== undefined,
      store.metadata.name,
      systemNamespace,
      {
        timeoutMs: 45_000,
      },
    )
    const before = writes()
    changes.length = 0
    expect(await lostOnServer(needs)).to.deep.equal([])
    expect([changes, writes()]).to.deep.equal([[], before])
    await connectMinioAdmin(world.minio).removeUser(store.metadata.name)
    expect((await lostOnServer(needs)).map(({ metadata }) => metadata.name)).to.deep.equal([store.metadata.name])

    await world.records.objectStores.remove(store.metadata.name, store.metadata.uid ?? '')
    for (const activity of [activities.takeUpStore, ...storeRemovals(calls, 'local'), activities.letStoreGo]) {
      expect(await again(store, activity)).to.deep.equal([])
    }
    await untilGone(world.records, store)
  })

  /** All but its being ready, of which a deletion would take a last backup. */
  const makings = (): readonly Activity[] => [activities.takeUpStore, ...storeSteps(calls, 'local')]
  const make = async (store: ObjectStore, until = makings().length): Promise<void> => {
    for (const activity of makings().slice(0, until)) await again(store, activity)
  }
  const unmake = async (store: ObjectStore): Promise<void> => {
    await world.records.objectStores.remove(store.metadata.name, store.metadata.uid ?? '')
    for (const activity of [activities.takeUpStore, ...storeRemovals(calls, 'local'), activities.letStoreGo])
      await again(store, activity)
    await untilGone(world.records, store)
  }
  /** The making of a store stands still before this change of the server, and goes on after `meanwhile`. */
  async function makeLate(store: ObjectStore, at: string, step: Activity, meanwhile: () => Promise<void>) {
    await make(store, makings().indexOf(step))
    const input = await inputOf(store)
    let isMet = false
    beforeChange = async (effect) => {
      if (isMet || effect !== at) return
      isMet = true
      await meanwhile()
    }
    await step(input).catch((error: unknown) => expect(String(error)).to.include(`"${input.name}" not found`))
    expect(isMet, at).to.equal(true)
  }

  it('of a bucket that another worker removes while it stands still leaves nothing', async () => {
    const admin = connectMinioAdmin(world.minio)
    for (const [at, step] of [
      ['PUT bucket', activities.makeStoreBuckets],
      ['PUT add-user', activities.makeStoreUser],
    ] as const) {
      const store = await createBucketStore(world.records, world.project, { buckets: ['late'] })
      const { name } = store.metadata
      await makeLate(store, at, step, () => unmake(store))
      expect(await listBuckets(minio, world.stored('')), at).to.deep.equal([])
      expect([await admin.readUser(name), await admin.readPolicy(`svc-${name}`)], at).to.deep.equal([
        undefined,
        undefined,
      ])
    }
  })

  it('of a bucket that another worker removes and makes again under its name leaves that one its user', async () => {
    const former = await createBucketStore(world.records, world.project, { buckets: ['again'] })
    let next = former
    await makeLate(former, 'PUT add-user', activities.makeStoreUser, async () => {
      await unmake(former)
      next = await createBucketStore(world.records, world.project, { buckets: ['again'] }, former.metadata.name)
      await make(next)
    })
    const { accessKey = '', secretKey = '' } = await world.connection(next)
    const own = connectS3({ endpoint: world.minio.endpoint, accessKey, secretKey })
    expect(await reachesBucket(own, world.stored('again'))).to.equal(true)
    own.end()
    await unmake(next)
  })

  it('of a bucket takes an empty one over whose store is gone', async () => {
    const bucket = world.stored('left')
    await createBucket(minio, bucket)
    await tagBucket(minio, bucket, { [ownerTag]: 'of-a-store-that-is-gone' })
    const store = await createBucketStore(world.records, world.project, { buckets: ['left'] })
    await make(store)
    expect(await bucketTags(minio, bucket)).to.deep.equal({ [ownerTag]: store.metadata.uid })
    await unmake(store)
    expect(await listBuckets(minio, bucket)).to.deep.equal([])
  })

  it('of a bucket whose Secrets are missing says so, and so does one that the server refuses (a stand-in answers)', async () => {
    const store = await createBucketStore(world.records, world.project)
    const input = await inputOf(store)
    expect(await activities.makeStoreUser(input)).to.include({
      outcome: 'waiting',
      message: 'credentials of the bucket unavailable',
    })
    const root = { type: coreTypes.secret, namespace: systemNamespace, name: 'object-server-root' }
    const kept = await world.records.client.get<KubeObject & { data?: object }>(root)
    await world.records.client.delete(root)
    expect(await activities.makeStoreBuckets(input)).to.include({
      outcome: 'waiting',
      message: 'server credentials unavailable',
    })
    const { name, namespace = '', labels = {} } = kept?.metadata ?? { name: '' }
    await world.records.client.create(coreTypes.secret, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace, labels },
      data: kept?.data ?? {},
    } as KubeObject)
    const standIn = createServer(
      (_, answer) =>
        void answer.writeHead(400).end('<Error><Code>InvalidRequest</Code><Message>not today</Message></Error>'),
    )
    await new Promise<void>((resolve) => standIn.listen(0, '127.0.0.1', resolve))
    // The address of a TCP server has a port.
    const endpoint = `http://127.0.0.1:${(standIn.address() as AddressInfo).port}`
    const refused = await createObjectStoreActivities({
      ...needs,
      objectServer: { image: '', endpoint },
    }).makeStoreBuckets(input)
    standIn.close()
    standIn.closeAllConnections()
    expect(refused).to.include({
      outcome: 'failing',
      message: 'the MinIO server refuses it: 400: InvalidRequest: not today',
    })
    await world.records.objectStores.remove(store.metadata.name, store.metadata.uid ?? '')
    await untilGone(world.records, store)
  })

  it('of the server, made and removed', async () => {
    const { server, records } = world
    for (const activity of [...storeSteps(calls, 'server'), activities.finishStore]) {
      expect(await again(server, activity)).to.deep.equal([])
    }
    await records.objectStores.remove(server.metadata.name, server.metadata.uid ?? '')
    const holding = [
      [
        'waiting for the MinIO server to stop',
        { type: coreTypes.pod, namespace: systemNamespace, name: 'svc-minio-0' },
      ],
      [
        'waiting for the volume of the MinIO server to be removed',
        { type: coreTypes.persistentVolumeClaim, namespace: systemNamespace, name: 'svc-minio' },
      ],
    ] as const
    for (const [, ref] of holding) await records.client.patch(ref, { metadata: { finalizers: ['svc.svc.dev/test'] } })
    for (const activity of [activities.takeUpStore, ...storeRemovals(calls, 'server').slice(0, -1)])
      expect(await again(server, activity)).to.deep.equal([])
    const input = await inputOf(server)
    for (const [message, ref] of holding) {
      await eventually(message, async () => (await activities.awaitServerGone(input)).message === message, 45_000)
      await records.client.patch(ref, { metadata: { finalizers: null } })
    }
    for (const activity of [activities.awaitServerGone, activities.letStoreGo])
      expect(await again(server, activity)).to.deep.equal([])
    await untilGone(records, server)
  })
})
