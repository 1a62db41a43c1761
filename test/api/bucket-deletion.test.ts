/** The deletion of buckets and of object servers over HTTP. */
import { expect } from 'chai'
import { annotations } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { useBuckets } from './buckets-world.ts'
import { makeConnection } from './data-world.ts'

describe('Buckets', () => {
  const { world, ref, record, remove } = useBuckets()

  it('DELETE /object-stores/{name} takes a second object server, by kubectl, away while the first has buckets', async () => {
    await world.ask('POST', '/object-stores', {})
    await world.create('/object-stores', { bucket: 'held' })
    await world.client.create(resourceTypes.objectStore, {
      ...(await record('object-server')),
      metadata: { namespace: systemNamespace, name: 'second-server' },
      status: undefined,
    })
    await world.api.needs.records.objectStores.readLive('second-server')
    expect((await remove('second-server')).body).to.deep.equal({ ok: true })
    expect((await remove('object-server')).status).to.equal(400)
  })

  it('DELETE /object-stores/{name} wants the name again; a draft and a pending one are gone at once', async () => {
    for (const deployed of [false, true]) {
      const name = await world.create('/object-stores', { bucket: 'short-lived', deploy: deployed })
      const wrong = await world.api.ask('POST', `/api/object-stores/${name}/delete`, {
        ...world.cookie,
        form: { confirmName: 'other' },
      })
      expect([wrong.status, wrong.body]).to.deep.equal([400, { error: 'confirmation did not match the resource name' }])
      expect((await remove(name)).body).to.deep.equal({ ok: true })
      expect((await world.ask('GET', `/object-stores/${name}`)).status).to.equal(404)
      expect((await remove(name)).status).to.equal(404)
    }
  })

  it('DELETE /object-stores/{name} with abandon abandons a remote one, says what stays, and is for admins and remote ones only', async () => {
    const abandon = (name: string, as = world.cookie) =>
      world.api.ask('DELETE', `/api/v1/object-stores/${name}?confirmName=${name}&abandon=on`, as)
    const local = await world.create('/object-stores', { bucket: 'stays-here' })
    expect([(await abandon(local)).status, (await abandon(local)).body.error]).to.deep.equal([
      400,
      'only a bucket in a cloud account can be abandoned',
    ])
    expect((await record(local)).metadata.deletionTimestamp).to.equal(undefined)
    const connectionRef = await makeConnection(world, world.project, 'AWS')
    const name = await world.create('/object-stores', {
      placement: 'External',
      connectionRef,
      bucket: 'far-away',
      deploy: true,
    })
    const remote = { connection: connectionRef, user: `svc-${name}`, made: ['far-away'] }
    await world.client.patch(ref(name), { metadata: { finalizers: ['example.com/held'] } })
    await world.client.patch(ref(name), { status: { remote } }, { subresource: 'status' })
    for (const as of [world.viewer, world.observer, world.projectToken])
      expect((await abandon(name, as)).status).to.equal(403)
    expect(
      (await world.api.ask('DELETE', `/api/v1/object-stores/${name}?confirmName=other&abandon=on`, world.cookie))
        .status,
    ).to.equal(400)
    expect((await record(name)).metadata.deletionTimestamp).to.equal(undefined)
    expect((await remove(name)).body, 'without the word').to.deep.equal({ ok: true })
    expect((await record(name)).metadata.annotations).not.to.have.property(annotations.abandon)
    const stays = [
      'bucket far-away',
      `user svc-${name} with its policy svc-bucket and its access key (cloud connection ${connectionRef})`,
    ]
    expect((await abandon(name)).body).to.deep.equal({ ok: true, stays })
    const form = { confirmName: name, abandon: 'on', backupFirst: 'off' }
    const again = await world.api.ask('POST', `/api/object-stores/${name}/delete`, { ...world.cookie, form })
    expect(again.body, 'once more').to.deep.equal({ ok: true, stays })
    const audited = world.api
      .logLines()
      .find(({ audit, requestId }) => audit === true && requestId === again.headers.get('x-request-id'))
    expect(audited?.['resource']).to.deep.equal({ store: name, abandon: 'on', backupFirst: 'off' })
    const { metadata } = await record(name)
    expect(metadata.annotations).to.include({ [annotations.abandon]: name })
    expect(metadata.deletionTimestamp).not.to.equal(undefined)
    await world.client.patch(ref(name), { metadata: { finalizers: null } })
  })
})
