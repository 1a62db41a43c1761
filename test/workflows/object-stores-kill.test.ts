/**
 * The worker is killed right after each change that it makes on the object server: in the end each thing exists once,
 * or none does.
 */
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { expect } from 'chai'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { samePolicy, minioPolicy } from '../../kinds/object-stores/bucket-policy.ts'
import { connectMinioAdmin } from '../../outside/minio/admin.ts'
import { listBuckets, reachesBucket } from '../../outside/minio/buckets.ts'
import { connectS3, type MinioS3 } from '../../outside/minio/s3.ts'
import { type EffectProxy, startEffectProxy } from '../harness/minio-effects.ts'
import { minioWithinMs } from '../harness/minio.ts'
import {
  createBucketStore,
  type ObjectServerWorld,
  openObjectServer,
  secretValues,
  untilGone,
  untilReady,
} from '../harness/object-server.ts'
import { startTestWorker, type TestWorker } from '../harness/worker.ts'

/** Each kill costs a start of a worker. */
const waitMs = 240_000

describe('A bucket whose worker is killed at each change of the object server', function () {
  this.timeout(minioWithinMs)
  /** The changes at which the worker was killed, once each. */
  const kills: string[] = []
  let proxy: EffectProxy
  let world: ObjectServerWorld
  let root: MinioS3
  let worker: TestWorker
  let turn = Promise.resolve()

  before(async () => {
    process.env['SVC_TEST_PATIENCE_MS'] = String(waitMs)
    proxy = await startEffectProxy(async (effect, moment) => {
      if (moment === 'before' || kills.includes(effect)) return false
      kills.push(effect)
      // A worker may make its next change before it is known to be ready.
      turn = turn.then(async () => {
        await worker.stop('SIGKILL')
        worker = await start()
      })
      await turn
      return true
    })
    const start = () => startTestWorker({}, 'temporal/main.ts', { SVC_OBJECT_SERVER_ENDPOINT: proxy.url })
    world = await openObjectServer(async (env) => {
      proxy.target = env['SVC_OBJECT_SERVER_ENDPOINT'] ?? ''
      worker = await start()
      return { pid: 0, stop: () => worker.stop() }
    })
    root = connectS3(world.minio)
  })
  after(async () => {
    delete process.env['SVC_TEST_PATIENCE_MS']
    root?.end()
    await world?.end()
    await proxy?.close()
  })

  it('has one bucket, one user, one policy and the keys that were made first; deleted, it leaves nothing', async () => {
    const { records, minio, stored } = world
    const store = await createBucketStore(records, world.project)
    const { name } = store.metadata
    const bucket = stored('data')
    const ready = await untilReady(records, store)
    expect(kills).to.deep.equal([
      'PUT bucket',
      'PUT bucket tagging',
      'PUT add-canned-policy',
      'PUT add-user',
      'PUT set-user-or-group-policy',
    ])
    const admin = connectMinioAdmin(minio)
    expect(await listBuckets(root, stored(''))).to.deep.equal([bucket])
    expect(await admin.readUser(name)).to.deep.equal({ enabled: true, policies: [`svc-${name}`] })
    expect(samePolicy(await admin.readPolicy(`svc-${name}`), minioPolicy([bucket]))).to.equal(true)
    const { accessKey = '', secretKey = '' } = await world.connection(store)
    expect(await secretValues(systemNamespace, `${name}-minio-user`)).to.deep.equal({ accessKey, secretKey })
    const own = connectS3({ endpoint: minio.endpoint, accessKey, secretKey })
    expect(await reachesBucket(own, bucket)).to.equal(true)
    await own.ask((client) => client.send(new PutObjectCommand({ Bucket: bucket, Key: 'a/b', Body: 'text' })))
    own.end()

    kills.length = 0
    await records.objectStores.remove(name, ready.metadata.uid ?? '')
    await untilGone(records, store)
    expect(kills).to.deep.equal(['DELETE remove-user', 'DELETE remove-canned-policy', 'DELETE bucket'])
    expect([
      await listBuckets(root, stored('')),
      await admin.readUser(name),
      await admin.readPolicy(`svc-${name}`),
    ]).to.deep.equal([[], undefined, undefined])
    expect([await world.connection(store), await secretValues(systemNamespace, `${name}-minio-user`)]).to.deep.equal([
      {},
      undefined,
    ])
  })
})
