/**
 * Failures of buckets, on the simulated cluster with a real MinIO: failed passes and retries, an unreachable server,
 * and objects that were removed by hand.
 */
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { storeState } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { samePolicy, minioPolicy } from '../../kinds/object-stores/bucket-policy.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import { connectMinioAdmin } from '../../outside/minio/admin.ts'
import { createBucket, deleteFullBucket, reachesBucket } from '../../outside/minio/buckets.ts'
import { connectS3, type MinioS3 } from '../../outside/minio/s3.ts'
import { eventually } from '../cluster/eventually.ts'
import { minioWithinMs } from '../harness/minio.ts'
import {
  createBucketStore,
  createStore,
  type ObjectServerWorld,
  openObjectServer,
  removeStore,
  secretValues,
  untilGone,
  untilReady,
  untilSaid,
} from '../harness/object-server.ts'
import { createProject, until } from '../harness/records.ts'
import { resyncUntil } from '../harness/resync.ts'
import { startTestWorker } from '../harness/worker.ts'

const waitMs = 45_000

describe('Buckets in trouble', function () {
  this.timeout(minioWithinMs)
  let world: ObjectServerWorld
  let root: MinioS3

  before(async () => {
    world = await openObjectServer((env) => startTestWorker({}, 'temporal/main.ts', env))
    root = connectS3(world.minio)
  })
  after(async () => {
    root?.end()
    await world?.end()
  })

  const create = (bucket: string, spec: object = {}) =>
    createBucketStore(world.records, world.project, { buckets: [bucket], ...spec })
  const edit = (store: ObjectStore, change: (current: ObjectStore) => ObjectStore) =>
    world.records.objectStores.edit(store.metadata.name, change)
  const untilFailed = async (store: ObjectStore, message: string): Promise<ObjectStore> => {
    const failed = await until(
      world.records.objectStores,
      store,
      (record) =>
        readyOf(record?.status?.conditions)?.reason === 'ProvisionFailed' &&
        readyOf(record?.status?.conditions)?.message === message,
      `failed: ${message}`,
    )
    expect(storeState(failed)).to.include({ message })
    return failed
  }
  const retry = (store: ObjectStore) =>
    edit(store, (current) => ({
      ...current,
      metadata: { ...current.metadata, annotations: { ...current.metadata.annotations, [annotations.retry]: 'again' } },
    }))

  it('a name that is too long once it is prefixed fails, and a shorter one makes it ready', async () => {
    const long = 'b'.repeat(60)
    let store = await create(long)
    store = await untilFailed(
      store,
      `bucket name too long: it is stored as ${world.stored(long)}, which must be at most 63 characters`,
    )
    await edit(store, (current) => ({ ...current, spec: { ...current.spec, buckets: ['short'] } }))
    await removeStore(world.records, await untilReady(world.records, store))
  })

  it('required tags that the server does not run on fail a bucket; without them a retry makes it', async () => {
    const { records } = world
    const project = await createProject(records, { requiredTags: ['hipaa'] })
    const store = await createBucketStore(records, project)
    await untilFailed(store, 'the project requires the node tag hipaa, which the MinIO server does not run on')
    await records.projects.edit(project.metadata.name, (current) => ({
      ...current,
      spec: { ...current.spec, requiredTags: [] },
    }))
    await retry(store)
    await untilReady(records, store)
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
    await until(records.projects, project, (record) => record === undefined, 'gone')
  })

  it('a bucket of another owner on the server fails, is left as it is; it recovers with a retry once it is gone', async () => {
    const bucket = world.stored('taken')
    await createBucket(root, bucket)
    await root.ask((client) => client.send(new PutObjectCommand({ Bucket: bucket, Key: 'theirs', Body: 'text' })))
    const store = await untilFailed(
      await create('taken'),
      `the bucket ${bucket} on the MinIO server belongs to another owner`,
    )
    expect(await reachesBucket(root, bucket)).to.equal(true)
    await deleteFullBucket(root, bucket)
    await retry(store)
    await removeStore(world.records, await untilReady(world.records, store))
  })

  it('a Secret of another owner under the name of its own fails a bucket, is left as it is; it recovers with a retry once it is gone', async () => {
    const { records, project } = world
    const namespace = namespaceOf(project.metadata.name, 'production')
    const store = await createStore(records, 'held-up', { project: project.metadata.name, environment: 'production' })
    const theirs = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'held-up-connection', namespace } }
    await untilSaid(records, store, 'Configure the bucket name in settings, then deploy')
    await records.client.create(coreTypes.secret, theirs)
    await edit(store, (current) => ({ ...current, spec: { ...current.spec, buckets: ['held-up'] } }))
    await untilFailed(
      store,
      `Secret held-up-connection in namespace ${namespace} belongs to another owner; rename the service or remove that object`,
    )
    await records.client.delete({ type: coreTypes.secret, namespace, name: 'held-up-connection' })
    await retry(store)
    await removeStore(records, await untilReady(records, store))
  })

  it('of two stores with the same bucket the older keeps it', async () => {
    const first = await untilReady(world.records, await create('shared'))
    await new Promise((resolve) => setTimeout(resolve, 1_100)) // creation times have whole seconds
    const second = await create('shared')
    await untilFailed(second, `another bucket of this environment has this name: ${first.metadata.name}`)
    await removeStore(world.records, second)
    expect(await reachesBucket(root, world.stored('shared'))).to.equal(true)
    await removeStore(world.records, first)
  })

  it('a server that is away is waited for, by new buckets and by deletions, and both go on when it is back', async () => {
    const leaving = await untilReady(world.records, await create('leaving'))
    await world.minio.kill()
    const coming = await untilSaid(world.records, await create('coming'), 'waiting for the MinIO server to answer')
    expect(readyOf(coming.status?.conditions)).to.include({ status: 'False', reason: 'ReconcileError' })
    await world.records.objectStores.remove(leaving.metadata.name, leaving.metadata.uid ?? '')
    await untilSaid(world.records, leaving, 'waiting for the MinIO server to answer')
    await world.minio.start()
    await Promise.all([untilReady(world.records, coming), untilGone(world.records, leaving)])
    expect([
      await reachesBucket(root, world.stored('coming')),
      await reachesBucket(root, world.stored('leaving')),
    ]).to.deep.equal([true, false])
    await removeStore(world.records, coming)
  })

  it('a server that does not take its root login is waited for', async () => {
    await world.minio.kill()
    await world.minio.start({ accessKey: world.minio.accessKey, secretKey: 'another-password' })
    const store = await untilSaid(
      world.records,
      await create('locked'),
      'server credentials unavailable: the MinIO server does not accept them',
    )
    await world.minio.kill()
    await world.minio.start()
    await removeStore(world.records, await untilReady(world.records, store))
  })

  it('a deleted Secret comes back with the very same keys, of the bucket and of the server', async () => {
    const store = await untilReady(world.records, await create('kept'))
    const { name } = store.metadata
    const connection = namespaceOf(world.project.metadata.name, 'production')
    for (const [namespace, secret] of [
      [connection, `${name}-connection`],
      [systemNamespace, `${name}-minio-user`],
      [systemNamespace, 'object-server-root'],
      [systemNamespace, 'object-server-connection'],
    ] as const) {
      const before = await secretValues(namespace, secret)
      expect(before, secret).to.not.equal(undefined)
      await world.records.client.delete({ type: coreTypes.secret, namespace, name: secret })
      await eventually(`${secret} is back`, async () => (await secretValues(namespace, secret)) !== undefined, waitMs)
      expect(await secretValues(namespace, secret), secret).to.deep.equal(before)
      await untilReady(world.records, secret.startsWith(name) ? store : world.server)
    }
    await removeStore(world.records, store)
  })

  it('what the server is made of comes back when it is deleted', async () => {
    const types = [coreTypes.service, coreTypes.statefulSet]
    for (const type of types) {
      const ref = { type, namespace: systemNamespace, name: 'svc-minio' }
      const before = (await world.records.client.get<KubeObject>(ref))?.metadata.uid
      await world.records.client.delete(ref, { propagation: 'Background' })
      const isBack = async () => {
        const uid = (await world.records.client.get<KubeObject>(ref))?.metadata.uid
        return uid !== undefined && uid !== before
      }
      await eventually(`${type.kind} is back`, isBack, waitMs)
      await untilReady(world.records, world.server)
    }
  })

  it('what was changed on the server itself is repaired by the regular comparison: user, policy, bucket', async () => {
    const store = await untilReady(world.records, await create('repaired'))
    const { name } = store.metadata
    const admin = connectMinioAdmin(world.minio)
    const wanted = minioPolicy([world.stored('repaired')])
    await admin.removeUser(name)
    await resyncUntil('the user is back', async () => (await admin.readUser(name))?.policies.join() === `svc-${name}`)
    await admin.putPolicy(`svc-${name}`, minioPolicy([world.stored('repaired'), world.stored('another')]))
    await resyncUntil('the policy is narrow again', async () =>
      samePolicy(await admin.readPolicy(`svc-${name}`), wanted),
    )
    await deleteFullBucket(root, world.stored('repaired'))
    await resyncUntil('the bucket is back', () => reachesBucket(root, world.stored('repaired')))
    const { accessKey = '', secretKey = '' } = await world.connection(store)
    const own = connectS3({ endpoint: world.minio.endpoint, accessKey, secretKey })
    await eventually('the keys of the store work', () => reachesBucket(own, world.stored('repaired')), waitMs)
    own.end()
    await removeStore(world.records, store)
  })
})
