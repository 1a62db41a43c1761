/** Settings of buckets over HTTP: which are refused, how they are discarded; and the retry of a failed deploy. */
import { expect } from 'chai'
import { effectiveStoreSpec } from '../../kinds/object-stores/draft.ts'
import { provisionIntent } from '../../kinds/provision/state.ts'
import { useBuckets } from './buckets-world.ts'
import { makeConnection } from './data-world.ts'

describe('Buckets', () => {
  const { world, ref, record, resource } = useBuckets()

  it('PATCH /object-stores/{name} keeps to the same rules', async () => {
    const local = await world.create('/object-stores', { bucket: 'patched' })
    const connectionRef = await makeConnection(world, world.project, 'AWS')
    const remote = await world.create('/object-stores', {
      engine: 'Remote',
      connectionRef,
      createBucket: true,
      bucket: 'b'.repeat(63),
    })
    const patch = async (name: string, fields: object) =>
      (await world.ask('PATCH', `/object-stores/${name}`, fields)).body.error
    expect(await patch(local, { bucket: '10.0.0.1' })).to.equal('bucket must not look like an IPv4 address')
    expect(await patch(local, { connectionRef })).to.equal('connectionRef applies to remote stores only')
    expect(await patch(remote, { connectionRef: 'absent' })).to.equal(
      'the project has no cloud connection named absent',
    )
    const regionOf = async () => (await world.ask('GET', `/object-stores/${remote}`)).body.spec.region as unknown
    for (const [region, saved] of [
      ['eu-west-1', 'eu-west-1'],
      ['', undefined],
    ])
      expect([await patch(remote, { region }), await regionOf()], region).to.deep.equal([undefined, saved])
    expect(await patch('nobody', { bucket: 'photos' })).to.equal('bucket not found')
    const second = await world.create('/object-stores')
    expect(await patch(second, { bucket: 'patched' })).to.equal(
      `another bucket of this environment has this name: ${local}`,
    )
    const stale = { ...world.cookie, headers: { 'if-match': '"1"' } }
    expect((await world.ask('PATCH', `/object-stores/${second}`, { bucket: 'free' }, stale)).body.error).to.match(
      /changed by another writer/,
    )
  })

  it('POST /api/object-stores/{store}/discard brings the bucket back to the one that is there', async () => {
    const name = await world.create('/object-stores', { bucket: 'kept-name' })
    const discard = () => world.api.ask('POST', `/api/object-stores/${name}/discard`, { ...world.cookie, form: {} })
    expect((await discard()).body.error).to.equal('nothing was deployed yet; delete the bucket to discard its draft')
    await world.ask('POST', `/object-stores/${name}/deploy`, {})
    await world.ask('PATCH', `/object-stores/${name}`, { bucket: 'other-name', backupRetentionDays: 9 })
    expect((await world.ask('GET', `/object-stores/${name}`)).body.resource).to.include({ pendingChanges: 1 })
    expect((await discard()).body).to.deep.equal({ ok: true })
    const { resource: summary, spec } = (await world.ask('GET', `/object-stores/${name}`)).body
    expect([summary.pendingChanges, spec.buckets, spec.backups.retentionDays]).to.deep.equal([0, ['kept-name'], 9])
  })

  const retry = (name: string) => world.api.ask('POST', `/api/object-stores/${name}/retry-provision`, world.cookie)
  const fail = async (name: string) => {
    const found = await record(name)
    const failed = {
      type: 'Ready',
      status: 'False',
      reason: 'ProvisionFailed',
      message: 'AccessDenied',
      lastTransitionTime: '2026-11-21T13:00:00Z',
    }
    const status = { observedIntent: provisionIntent(found, effectiveStoreSpec(found)), conditions: [failed] }
    await world.client.patch(ref(name), { status }, { subresource: 'status' })
    await world.api.needs.records.objectStores.readLive(name)
  }

  it('POST /api/object-stores/{store}/retry-provision is for failed ones', async () => {
    const name = await world.create('/object-stores', { bucket: 'retried', deploy: true })
    expect((await retry(name)).body.error).to.equal('only a failed deploy can be retried; this bucket is pending')
    await fail(name)
    expect(await resource(name)).to.include({ state: 'failed', message: 'AccessDenied' })
    expect((await retry(name)).body).to.deep.equal({ ok: true })
    expect(await resource(name)).to.include({ state: 'pending' })
  })

  it('POST /api/object-stores/{store}/retry-provision resets a failed object server, which is listed as a draft', async () => {
    await world.ask('POST', '/object-stores', {})
    await fail('object-server')
    expect(await resource('object-server')).to.include({ state: 'draft', message: 'AccessDenied' })
    expect((await retry('object-server')).body).to.deep.equal({ ok: true })
    expect(await resource('object-server')).to.include({ message: 'waiting for provisioning' })
    expect((await retry('object-server')).status, 'while it is provisioned').to.equal(400)
  })
})
