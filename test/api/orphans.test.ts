/** The report of resources left in a cloud account, which moto stands in for. */
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { ownerTags } from '../../kinds/object-stores/remote.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { createBucket, deleteBucket, tagBucket } from '../../outside/aws/buckets.ts'
import { createUser, deleteUser } from '../../outside/aws/users.ts'
import { type Moto, motoWithinMs, useMoto } from '../harness/moto.ts'
import { type DataWorld, makeConnection, openDataWorld } from './data-world.ts'

describe('Orphans (moto stands in for AWS)', () => {
  let world: DataWorld
  let moto: Moto

  before(async function () {
    this.timeout(motoWithinMs)
    moto = await useMoto()
    world = await openDataWorld({ env: { SVC_AWS_ENDPOINT: moto.url } })
  })
  after(async () => {
    await world.api.stop()
  })

  /** Makes a connection of the world's project with the keys of moto's administrator. */
  async function connect(to: DataWorld): Promise<string> {
    const connection = await makeConnection(to, to.project, 'AWS')
    const data = Object.fromEntries(
      Object.entries(moto.keys).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
    )
    const metadata = {
      name: `${connection}-credentials`,
      namespace: systemNamespace,
      labels: { 'svc.dev/project': to.project },
    }
    await to.client.create(coreTypes.secret, { apiVersion: 'v1', kind: 'Secret', metadata, data })
    return connection
  }

  it('GET /orphans lists users and buckets that carry the tag of svc and have no record, and what could not be asked', async () => {
    const account = moto.account()
    const connection = await connect(world)
    const broken = await makeConnection(world, world.project, 'AWS')
    const name = await world.create('/object-stores', {
      engine: 'Remote',
      connectionRef: connection,
      bucket: `of-${connection}`,
    })
    const uid = (await world.record('objectStore', name))?.metadata.uid ?? ''
    const gone = { metadata: { name: 'long-gone', uid: `uid-of-${connection}` } }
    const [orphan, owned, foreign] = [`left-${connection}`, `of-${connection}`, `foreign-${connection}`]
    for (const [bucket, tags] of [
      [orphan, ownerTags(gone)],
      [owned, ownerTags({ metadata: { name, uid } })],
      [foreign, { team: 'shop' }],
    ] as const) {
      await createBucket(account, bucket, tags)
      await tagBucket(account, bucket, tags)
      await createUser(account, `svc-${bucket}`, tags)
    }
    const { items, unanswered } = (await world.ask('GET', '/orphans')).body
    const row = { connection, project: world.project, store: 'long-gone', owner: `uid-of-${connection}` }
    expect(items).to.deep.include({ ...row, kind: 'bucket', name: orphan })
    expect(items).to.deep.include({ ...row, kind: 'user', name: `svc-${orphan}` })
    const names = items.map((item: { name: string }) => item.name)
    for (const bucket of [owned, foreign])
      for (const each of [bucket, `svc-${bucket}`]) expect(names).not.to.include(each)
    expect(unanswered).to.deep.include({
      connection: broken,
      message: `Secret ${broken}-credentials is missing, or lacks the label svc.dev/project=${world.project}`,
    })
    for (const bucket of [orphan, owned, foreign]) {
      await deleteBucket(account, bucket)
      await deleteUser(account, `svc-${bucket}`, 'none')
    }
    account.close()
  })

  it('GET /orphans lists a user once though two connections that name no account yet lead there', async () => {
    const account = moto.account()
    const connections = [await connect(world), await connect(world)]
    const name = `svc-once-${connections[0]}`
    await createUser(account, name, ownerTags({ metadata: { name: 'long-gone', uid: `uid-of-${name}` } }))
    const { items } = (await world.ask('GET', '/orphans')).body
    expect(items.filter((item: { name: string }) => item.name === name)).to.have.length(1)
    await deleteUser(account, name, 'none')
    account.close()
  })

  it('GET /orphans says of an account that does not answer that it was not looked at', async () => {
    const api = await openDataWorld({ env: { SVC_AWS_ENDPOINT: 'http://127.0.0.1:9' } })
    const connection = await connect(api)
    const { items, unanswered } = (await api.ask('GET', '/orphans')).body
    expect(items).to.deep.equal([])
    expect(unanswered).to.deep.include({ connection, message: 'AWS does not answer: ECONNREFUSED' })
    await api.api.stop()
  })
})
