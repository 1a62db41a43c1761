/**
 * The workflows of the object server and of buckets on it, on the simulated cluster with a real MinIO: waiting, ready,
 * edited, removed.
 */
import {
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import type { V1PersistentVolumeClaim, V1StatefulSet } from '@kubernetes/client-node'
import { expect } from 'chai'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { finalizers, labels } from '../../kinds/meta/annotations.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { storeState } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { connectMinioAdmin } from '../../outside/minio/admin.ts'
import { bucketTags, reachesBucket } from '../../outside/minio/buckets.ts'
import { connectS3, type MinioS3 } from '../../outside/minio/s3.ts'
import { eventually } from '../cluster/eventually.ts'
import { forgetRecords } from '../harness/forget-records.ts'
import { type Minio, minioWithinMs } from '../harness/minio.ts'
import {
  chooseAddress,
  createBucketStore,
  createObjectServer,
  createStore,
  playObjectServer,
  removeStore,
  secretValues,
  untilGone,
  untilReady,
  untilSaid,
} from '../harness/object-server.ts'
import { createProject, type TestRecords, until, useRecords } from '../harness/records.ts'
import { startTestWorker, type TestWorker, withoutWorker } from '../harness/worker.ts'

describe('The object server and buckets on it', function () {
  this.timeout(minioWithinMs)
  let records: TestRecords
  let project: Project
  let worker: TestWorker | undefined
  let minio: Minio
  let server: ObjectStore
  let early: ObjectStore
  let address: Awaited<ReturnType<typeof chooseAddress>>
  const open: MinioS3[] = []

  const namespace = () => namespaceOf(project.metadata.name, 'production')
  const stored = (bucket: string) => `${project.metadata.name}.production.${bucket}`
  const connection = async (store: ObjectStore) =>
    (await secretValues(namespace(), `${store.metadata.name}-connection`)) ?? {}
  const asStore = async (store: ObjectStore): Promise<MinioS3> => {
    const { accessKey = '', secretKey = '' } = await connection(store)
    const s3 = connectS3({ endpoint: minio.endpoint, accessKey, secretKey })
    open.push(s3)
    return s3
  }
  const asRoot = (): MinioS3 => {
    const s3 = connectS3(minio)
    open.push(s3)
    return s3
  }
  const edit = (store: ObjectStore, spec: object) =>
    records.objectStores.edit(store.metadata.name, (current) => ({ ...current, spec: { ...current.spec, ...spec } }))
  const readServer = async <T extends KubeObject>(type: Parameters<typeof records.client.get>[0]['type']) =>
    records.client.get<T>({ type, namespace: systemNamespace, name: 'svc-minio' })

  before(async () => {
    records = await useRecords()
    await withoutWorker()
    await forgetRecords() // a bucket of another file would hold the server
    address = await chooseAddress()
    worker = await startTestWorker({}, 'temporal/main.ts', address.env)
    project = await createProject(records)
  })

  after(async () => {
    for (const s3 of open) s3.end()
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
    await until(records.projects, project, (record) => record === undefined, 'gone')
    await worker?.stop()
    await minio?.stop()
  })

  it('a bucket made before the server says what it waits for', async () => {
    early = await createBucketStore(records, project, { buckets: ['early'] })
    early = await untilSaid(records, early, 'Set up the MinIO server in cluster settings first')
    expect(readyOf(early.status?.conditions)).to.include({ status: 'False', reason: 'ReconcileError' })
    expect(storeState(early)).to.deep.include({ message: 'Set up the MinIO server in cluster settings first' })
  })

  it('the server says why it does not start, and goes on once it can', async () => {
    server = await createObjectServer(records, { resources: { requests: { cpu: '100k', memory: '512Mi' } } })
    server = await untilSaid(records, server, /^starting the MinIO server: no node has capacity for a copy: /)
    expect(readyOf(server.status?.conditions)).to.include({ status: 'False', reason: 'ReconcileError' })
    expect(server.metadata.finalizers).to.deep.equal([finalizers.objectStore])
    await edit(server, { resources: { requests: { cpu: '250m', memory: '512Mi' } } })
  })

  it('the server whose pod runs waits until it answers', async () => {
    server = await untilSaid(records, server, 'waiting for the MinIO server to answer')
    expect(readyOf(server.status?.conditions)).to.include({ status: 'False', reason: 'ReconcileError' })
    expect(await readServer(coreTypes.statefulSet)).to.not.equal(undefined)
  })

  it('the server is ready once it answers, and its connection Secret has its address', async () => {
    minio = await playObjectServer(address.port)
    server = await untilReady(records, server)
    expect(readyOf(server.status?.conditions)).to.include({
      status: 'True',
      reason: 'ObjectStoreReady',
      message: 'cluster server ready',
    })
    expect(server.status).to.include({
      targetNamespace: systemNamespace,
      connectionSecret: 'object-server-connection',
      endpoint: 'http://svc-minio.svc-system.svc:9000',
    })
    expect(storeState(server).state).to.equal('draft')
    expect(await secretValues(systemNamespace, 'object-server-connection')).to.deep.equal({
      endpoint: 'http://svc-minio.svc-system.svc:9000',
      accessKey: minio.accessKey,
      secretKey: minio.secretKey,
      bucket: 'object-server',
    })
    const claim = await readServer<Sent<V1PersistentVolumeClaim>>(coreTypes.persistentVolumeClaim)
    expect(claim?.spec?.resources?.requests).to.deep.equal({ storage: '10Gi' })
  })

  it('the bucket that waited becomes ready with it, and its environment has a Secret with its keys', async () => {
    early = await untilReady(records, early)
    expect(readyOf(early.status?.conditions)).to.include({
      reason: 'ObjectStoreReady',
      message: 'bucket ready on cluster server',
    })
    expect(early.status).to.include({
      targetNamespace: namespace(),
      connectionSecret: `${early.metadata.name}-connection`,
      endpoint: 'http://svc-minio.svc-system.svc:9000',
    })
    const keys = await secretValues(systemNamespace, `${early.metadata.name}-minio-user`)
    expect(keys).to.include({ accessKey: early.metadata.name })
    expect(await connection(early)).to.deep.equal({
      endpoint: 'http://svc-minio.svc-system.svc:9000',
      accessKey: early.metadata.name,
      secretKey: keys?.['secretKey'],
      bucket: stored('early'),
    })
    expect(await bucketTags(asRoot(), stored('early'))).to.deep.equal({ [labels.owner]: early.metadata.uid })
  })

  it('the keys of one store do everything in its own bucket and nothing in that of another', async () => {
    const other = await untilReady(records, await createBucketStore(records, project, { buckets: ['other'] }))
    const [own, foreign] = [await asStore(early), await asStore(other)]
    const object = { Bucket: stored('early'), Key: 'a/b' }
    const calls: [string, (s3: MinioS3) => Promise<unknown>][] = [
      ['write', (s3) => s3.ask((client) => client.send(new PutObjectCommand({ ...object, Body: 'text' })))],
      ['read', (s3) => s3.ask((client) => client.send(new GetObjectCommand(object)))],
      ['list', (s3) => s3.ask((client) => client.send(new ListObjectsV2Command({ Bucket: object.Bucket })))],
      ['begin an upload in parts', (s3) => s3.ask((client) => client.send(new CreateMultipartUploadCommand(object)))],
      ['delete', (s3) => s3.ask((client) => client.send(new DeleteObjectCommand(object)))],
    ]
    const { UploadId } = await own.ask((client) => client.send(new CreateMultipartUploadCommand(object)))
    calls.push([
      'send a part',
      (s3) =>
        s3.ask((client) => client.send(new UploadPartCommand({ ...object, UploadId, PartNumber: 1, Body: 'part' }))),
    ])
    for (const [what, call] of calls) {
      await call(own)
      const refusal = await call(foreign).then(
        () => 'allowed',
        (error: unknown) => error,
      )
      expect(refusal, what).to.include({ status: 403, code: 'AccessDenied' })
    }
    const seen = await foreign.ask((client) => client.send(new ListBucketsCommand({})))
    expect(seen.Buckets?.map(({ Name }) => Name)).to.deep.equal([stored('other')])
    await removeStore(records, other)
  })

  it('a renamed bucket is there under its new name; the former goes when it is empty and stays with objects in it', async () => {
    let store = await untilReady(records, await createBucketStore(records, project, { buckets: ['first'] }))
    const names = async () => {
      const found = await asRoot().ask((client) => client.send(new ListBucketsCommand({ Prefix: stored('') })))
      return found.Buckets?.map(({ Name = '' }) => Name.slice(stored('').length)).filter((name) => name !== 'early')
    }
    await edit(store, { buckets: ['second', 'third'] })
    store = await until(
      records.objectStores,
      store,
      (record) => record?.status?.buckets?.join() === [stored('second'), stored('third')].join(),
      'renamed',
    )
    store = await untilReady(records, store)
    expect(await names()).to.deep.equal(['second', 'third'])
    expect((await connection(store))['bucket']).to.equal(stored('second'))
    await (
      await asStore(store)
    ).ask((client) => client.send(new PutObjectCommand({ Bucket: stored('second'), Key: 'kept', Body: 'text' })))
    await edit(store, { buckets: ['fourth'] })
    await until(
      records.objectStores,
      store,
      (record) => record?.status?.buckets?.join() === [stored('fourth'), stored('second')].join(),
      'renamed again',
    )
    store = await untilReady(records, store)
    expect(await names()).to.deep.equal(['fourth', 'second'])
    expect(await reachesBucket(await asStore(store), stored('fourth'))).to.equal(true)
    expect(await reachesBucket(await asStore(store), stored('second'))).to.equal(false)
    await removeStore(records, store)
    expect(await names()).to.deep.equal([])
  })

  it('the size of the server follows its record', async () => {
    await edit(server, { resources: { requests: { cpu: '300m', memory: '600Mi' } } })
    await eventually('the new size', async () => {
      const set = await readServer<Sent<V1StatefulSet>>(coreTypes.statefulSet)
      return set?.spec?.template.spec?.containers[0]?.resources?.requests?.['memory'] === '600Mi'
    })
    server = await untilReady(records, server)
  })

  it('a second server is refused in words', async () => {
    const second = await createStore(records, 'another-server', {})
    await untilSaid(records, second, 'the cluster has an object server already: object-server')
    await removeStore(records, second)
  })

  it('a deleted bucket leaves neither objects nor access nor Secrets behind', async () => {
    await (
      await asStore(early)
    ).ask((client) => client.send(new PutObjectCommand({ Bucket: stored('early'), Key: 'last', Body: 'text' })))
    const { name } = early.metadata
    await removeStore(records, early)
    expect(await bucketTags(asRoot(), stored('early'))).to.equal(undefined)
    const admin = connectMinioAdmin(minio)
    expect([await admin.readUser(name), await admin.readPolicy(`svc-${name}`)]).to.deep.equal([undefined, undefined])
    expect([
      await secretValues(namespace(), `${name}-connection`),
      await secretValues(systemNamespace, `${name}-minio-user`),
    ]).to.deep.equal([undefined, undefined])
  })

  it('the server does not go while a bucket is on it, names it, and then goes with all it had', async () => {
    const last = await untilReady(records, await createBucketStore(records, project, { buckets: ['last'] }))
    await records.objectStores.remove(server.metadata.name, server.metadata.uid ?? '')
    server = await untilSaid(records, server, `delete the buckets on the object server first: ${last.metadata.name}`)
    expect(readyOf(server.status?.conditions)?.reason).to.equal('ReconcileError')
    expect(await readServer(coreTypes.statefulSet)).to.not.equal(undefined)
    await removeStore(records, last)
    await untilGone(records, server)
    for (const type of [coreTypes.statefulSet, coreTypes.service, coreTypes.persistentVolumeClaim])
      expect(await readServer(type)).to.equal(undefined)
    expect(await secretValues(systemNamespace, 'object-server-root')).to.equal(undefined)
    expect(await secretValues(systemNamespace, 'object-server-connection')).to.equal(undefined)
  })
})
