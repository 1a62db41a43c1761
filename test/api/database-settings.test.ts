/**
 * Settings of a database over HTTP: which apply at once, which wait for a deploy, which are refused; and the retry of a
 * failed deploy.
 */
import { expect } from 'chai'
import { annotations } from '../../kinds/meta/annotations.ts'
import { effectiveDatabaseSpec } from '../../kinds/databases/draft.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { provisionIntent } from '../../kinds/provision/state.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { useDatabases } from './databases-world.ts'

describe('Settings of databases', () => {
  const { world, record, form } = useDatabases()

  it('PATCH /databases/{name} and POST /api/databases/{db}/update: backups apply at once, the rest waits', async () => {
    const name = await world.create('/databases')
    const patch = (fields: object) => world.ask('PATCH', `/databases/${name}`, fields)
    expect((await patch({ backups: 'on' })).body, 'a draft').to.deep.equal({
      ok: true,
      applied: 'live',
      liveChanged: false,
    })
    await world.ask('POST', `/databases/${name}/deploy`, {})
    expect((await patch({ backups: 'on' })).body, 'as it was').to.deep.equal({
      ok: true,
      applied: 'live',
      liveChanged: false,
    })
    expect((await patch({ backups: 'off' })).body).to.deep.equal({ ok: true, applied: 'live', liveChanged: true })
    expect((await patch({ version: '16.4' })).body).to.deep.equal({ ok: true, applied: 'live', liveChanged: false })
    const { resource } = (await world.ask('GET', `/databases/${name}`)).body
    expect(resource).to.include({ pendingChanges: 1 })
    const dashboard = await form(`/databases/${name}/update`, {
      backups: 'on',
      backupRetentionDays: '9',
      memory: '1Gi',
    })
    expect(dashboard.body).to.deep.equal({ ok: true, applied: 'live', liveChanged: true })
    const { spec, metadata } = await record(name)
    expect(spec).to.deep.include({
      version: '16.4',
      backups: { enabled: true, retentionDays: 9 },
      resources: { requests: { memory: '1Gi' } },
    })
    expect(JSON.parse(metadata.annotations?.[annotations.lastDeployed] ?? '').version, 'what runs').to.equal('16')
    await world.ask('POST', `/databases/${name}/deploy`, {})
    expect((await world.ask('GET', `/databases/${name}`)).body.resource).to.include({ pendingChanges: 0 })
  })

  it('PATCH /databases/{name} refuses to shrink a volume, or to grow one where the storage cannot', async () => {
    const name = await world.create('/databases', { storageSize: '10Gi' })
    const patch = async (storageSize: string) =>
      (await world.ask('PATCH', `/databases/${name}`, { storageSize })).body.error
    expect(await patch('5Gi'), 'a draft').to.equal(undefined)
    await world.ask('POST', `/databases/${name}/deploy`, {})
    expect(await patch('4Gi')).to.equal('storageSize cannot shrink; the database has 5Gi')
    const { platform } = (await world.api.ask('GET', '/api/bootstrap', world.cookie)).body
    expect(await patch('6Gi')).to.equal(
      platform.storageExpandable ? undefined : 'this cluster cannot enlarge volumes; the database keeps its 5Gi',
    )
  })

  it('PATCH /databases/{name} with If-Match of another version is refused, and so is a deploy with it', async () => {
    const name = await world.create('/databases')
    const stale = { ...world.cookie, headers: { 'if-match': '"1"' } }
    for (const [method, path] of [
      ['PATCH', `/databases/${name}`],
      ['POST', `/databases/${name}/deploy`],
    ] as const) {
      expect((await world.ask(method, path, { version: '17' }, stale)).body.error).to.match(/changed by another writer/)
    }
    expect((await record(name)).spec).to.deep.include({ version: '16', deploy: { enabled: false } })
  })

  it('POST /api/databases/{db}/discard brings the settings back to what runs, but for live ones', async () => {
    const name = await world.create('/databases')
    const discard = (more: object = {}) =>
      world.api.ask('POST', `/api/databases/${name}/discard`, { ...world.cookie, form: {}, ...more })
    expect((await discard()).body.error).to.equal('nothing was deployed yet; delete the database to discard its draft')
    await world.ask('POST', `/databases/${name}/deploy`, {})
    expect((await discard()).body, 'where nothing is pending').to.deep.equal({ ok: true })
    await world.ask('PATCH', `/databases/${name}`, { version: '16.4', memory: '1Gi', backupRetentionDays: 9 })
    expect((await discard({ headers: { 'if-match': '"1"' } })).status).to.equal(400)
    expect((await world.ask('GET', `/databases/${name}`)).body.resource).to.include({ pendingChanges: 1 })
    expect((await discard()).body).to.deep.equal({ ok: true })
    const { spec, metadata } = await record(name)
    expect([spec.version, spec.resources, spec.backups.retentionDays]).to.deep.equal(['16', {}, 9])
    expect(metadata.annotations).not.to.have.property(annotations.pendingChanges)
    for (const as of [world.viewer, world.observer, world.projectToken])
      expect((await world.ask('POST', `/databases/${name}/discard`, {}, as)).status).to.equal(403)
  })

  it('POST /api/databases/{db}/discard says so where what was deployed cannot be read', async () => {
    const name = await world.create('/databases', { deploy: true })
    await world.ask('PATCH', `/databases/${name}`, { version: '16.4' })
    const ref = { type: resourceTypes.database, namespace: systemNamespace, name }
    await world.client.patch(ref, { metadata: { annotations: { [annotations.lastDeployed]: '{' } } })
    await world.api.needs.records.databases.readLive(name)
    const { status, body } = await world.api.ask('POST', `/api/databases/${name}/discard`, {
      ...world.cookie,
      form: {},
    })
    expect(status).to.equal(400)
    expect(body.error).to.match(/last-deployed .*; what runs is left as it is; deploy to write it anew$/)
  })

  it('POST /api/databases/{db}/retry-provision is for failed ones, and makes them pending', async () => {
    const name = await world.create('/databases', { deploy: true })
    expect((await form(`/databases/${name}/retry-provision`)).body.error).to.equal(
      'only a failed deploy can be retried; this database is pending',
    )
    const found = await record(name)
    const observedIntent = provisionIntent(found, effectiveDatabaseSpec(found))
    const failed = {
      type: 'Ready',
      status: 'False',
      reason: 'ProvisionFailed',
      message: 'no volume',
      lastTransitionTime: '2026-11-21T13:00:00Z',
    }
    await world.client.patch(
      { type: resourceTypes.database, namespace: systemNamespace, name },
      { status: { observedIntent, conditions: [failed] } },
      { subresource: 'status' },
    )
    const readBy = async (state: string) => {
      await world.api.needs.records.databases.readLive(name)
      expect((await world.ask('GET', `/databases/${name}`)).body.resource.state).to.equal(state)
    }
    await readBy('failed')
    expect((await world.ask('POST', `/databases/${name}/retry-provision`, {})).body).to.deep.equal({ ok: true })
    await readBy('pending')
  })
})
