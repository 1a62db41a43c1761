/**
 * The backup of a bucket on a real node, by `npm start` and the API: its objects are changed, and the backup is proven
 * by a drill and restored into another bucket. Takes minutes, so it runs when its folder is named.
 */
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import type { V1Secret, V1Service } from '@kubernetes/client-node'
import { expect } from 'chai'
import type { Sent } from '../../../cluster/objects/object.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../../kinds/meta/group.ts'
import { serverName, serverPort } from '../../../kinds/object-stores/names.ts'
import { canHaveNode } from '../../../one-machine/node/can-have.ts'
import { connectS3, type MinioS3 } from '../../../outside/minio/s3.ts'
import { startWithinMs } from '../started.ts'
import { type BackupNode, imagesMs, waitMs, startBackupNode } from './backup-node.ts'

const can = canHaveNode()

;(can.ok ? describe : describe.skip)('the backup of a bucket on a real node', function () {
  this.timeout(imagesMs + startWithinMs)
  const Key = 'a folder/otter & beaver.txt'
  let node: BackupNode
  let archive = ''

  before(async () => {
    node = await startBackupNode()
  })
  after(() => node?.stop())

  const untilBucket = (store: string) =>
    node.untilReady(store, async () => (await node.client.call('object-stores.get', { store })).resource, waitMs)
  /** With the keys that services have, at an address that this machine reaches. */
  async function opened(store: string): Promise<{ s3: MinioS3; Bucket: string }> {
    const { cluster, home } = node
    const secret = await cluster.get<Sent<V1Secret>>({
      type: coreTypes.secret,
      namespace: home,
      name: `${store}-connection`,
    })
    const service = await cluster.get<Sent<V1Service>>({
      type: coreTypes.service,
      namespace: systemNamespace,
      name: serverName,
    })
    const value = (key: string) => Buffer.from(secret?.data?.[key] ?? '', 'base64').toString()
    const endpoint = `http://${service?.spec?.clusterIP ?? ''}:${serverPort}`
    const s3 = connectS3({ endpoint, accessKey: value('accessKey'), secretKey: value('secretKey') })
    return { s3, Bucket: value('bucket') }
  }
  async function put(store: string, Body: string): Promise<void> {
    const { s3, Bucket } = await opened(store)
    const object = { Bucket, Key, Body, ContentType: 'text/x-word', Metadata: { of: 'the first' } }
    await s3.ask((client) => client.send(new PutObjectCommand(object))).finally(() => s3.end())
  }
  async function taken(store: string): Promise<[string | undefined, string | undefined, string | undefined]> {
    const { s3, Bucket } = await opened(store)
    try {
      const found = await s3.ask((client) => client.send(new GetObjectCommand({ Bucket, Key })))
      return [await found.Body?.transformToString(), found.ContentType, found.Metadata?.['of']]
    } finally {
      s3.end()
    }
  }

  it('is verified, with its object counted', async () => {
    const place = { project: node.project, environment: 'production' } as const
    await node.client.call('object-stores.create', { ...place, name: 'media', bucket: 'media', deploy: true })
    await untilBucket('media')
    await put('media', 'otter')
    const began = Date.now()
    archive = (await node.client.call('object-stores.backup', { store: 'media' })).archive
    await node.untilReady(archive, () => node.client.call('databases.get-archive', { archive }), imagesMs)
    console.log(`      stored in ${Date.now() - began} ms`)
    const { counts } = await node.client.call('databases.get-archive', { archive })
    expect(counts).to.deep.equal({ objects: 1, bytes: 5 })
  })

  it('is proven on trial', async () => {
    const ended = await node.drill(archive)
    expect([ended.outcome, ended.message]).to.deep.equal(['Proven', '1 objects, 5 bytes'])
  })

  it('is restored into another bucket with keys of its own, and the first one stays as it is', async () => {
    await put('media', 'beaver')
    const began = Date.now()
    const { name } = await node.client.call('object-stores.restore', { archive })
    await untilBucket(name)
    console.log(`      restored in ${Date.now() - began} ms`)
    expect(await taken(name)).to.deep.equal(['otter', 'text/x-word', 'the first'])
    expect((await taken('media'))[0]).to.equal('beaver')
  })

  it('leaves neither Jobs nor keys in the environment', async () => {
    const left = await Promise.all(
      [coreTypes.job, coreTypes.secret].map(async (type) =>
        (await node.cluster.list(type, { namespace: node.home, metadataOnly: true })).items.map(
          ({ metadata }) => metadata.name,
        ),
      ),
    )
    expect(left.flat().filter((name) => /-(backup|restore|drill)$/.test(name))).to.deep.equal([])
  })
})
