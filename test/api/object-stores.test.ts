/** Buckets and the object server over HTTP: drafts, deploys, settings, refusals, deletion. */
import { expect } from 'chai'
import { annotations } from '../../kinds/meta/annotations.ts'
import { deployRequestOf } from '../../kinds/provision/deploy-request.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { effectiveStoreSpec } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { provisionIntent } from '../../kinds/provision/state.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { type DataWorld, makeConnection, openDataWorld } from './data-world.ts'
import { forgetRecords } from '../harness/forget-records.ts'

describe('Buckets', () => {
  let world: DataWorld

  before(async function () {
    this.timeout(60_000)
    world = await openDataWorld()
  })
  after(async () => {
    await world.api.stop()
    await forgetRecords()
  })

  const place = () => ({ project: world.project, environment: 'production' })
  const ref = (name: string) => ({ type: resourceTypes.objectStore, namespace: systemNamespace, name })
  const record = async (name: string): Promise<ObjectStore> => {
    const found = await world.record<ObjectStore>('objectStore', name)
    if (found === undefined) throw new Error(`no store ${name}`)
    return found
  }
  const refusalOf = async (fields: object): Promise<unknown> =>
    (await world.ask('POST', '/object-stores', fields)).body.error
  const deploy = (name: string) => world.ask('POST', `/object-stores/${name}/deploy`, {})
  const remove = (name: string) =>
    world.api.ask('DELETE', `/api/v1/object-stores/${name}?confirmName=${name}`, world.cookie)
  const resource = async (name: string) => (await world.ask('GET', `/object-stores/${name}`)).body.resource

  it('POST /object-stores saves a draft; GET /object-stores and GET /object-stores/{name} show it', async () => {
    const { body } = await world.ask('POST', '/object-stores', { ...place(), draft: true })
    const { name } = body
    expect(body).to.deep.equal({ ok: true, name, kind: 'object-stores' })
    const { metadata, spec } = await record(name)
    expect(metadata.annotations).to.deep.equal({
      [annotations.deployWorkflow]: 'true',
      [annotations.pendingChanges]: 'created',
    })
    const summary = {
      kind: 'object-store',
      name,
      displayName: name,
      ...place(),
      state: 'draft',
      message: '',
      url: '',
      pendingChanges: 1,
      createdAt: metadata.creationTimestamp,
      details: { placement: 'InCluster', buckets: [] },
    }
    expect((await world.ask('GET', `/object-stores?project=${world.project}`)).body.items).to.deep.include(summary)
    expect((await world.ask('GET', `/object-stores/${name}`)).body).to.deep.equal({
      resource: summary,
      spec,
      status: {},
    })
    expect((await world.ask('GET', '/object-stores/nobody')).body.error).to.equal('bucket not found')
  })

  it('POST /object-stores/{name}/deploy wants a bucket name first, which PATCH /object-stores/{name} sets', async () => {
    const name = await world.create('/object-stores')
    expect((await deploy(name)).body.error).to.equal('set a bucket name in settings before you deploy')
    expect((await world.ask('PATCH', `/object-stores/${name}`, { bucket: 'photos' })).body).to.deep.equal({ ok: true })
    expect((await deploy(name)).body).to.deep.equal({ ok: true })
    expect(await resource(name)).to.deep.include({
      state: 'pending',
      message: 'waiting for provisioning',
      pendingChanges: 0,
    })
    const deployed = await record(name)
    expect(deployed.spec).to.deep.include({ buckets: ['photos'], deploy: { enabled: true } })
    expect(deployRequestOf(deployed)?.actor).to.match(/^token:/)
    const update = await world.api.ask('POST', `/api/object-stores/${name}/update`, {
      ...world.cookie,
      form: { bucket: 'pictures' },
    })
    expect(update.body).to.deep.equal({ ok: true })
    expect(await resource(name)).to.include({ pendingChanges: 1 })
    expect(effectiveStoreSpec(await record(name))?.buckets).to.deep.equal(['photos'])
    expect((await world.ask('PATCH', `/object-stores/${name}`, { bucket: 'photos' })).body).to.deep.equal({ ok: true })
    expect(await resource(name)).to.include({ pendingChanges: 0 })
  })

  it('POST /object-stores with deploy is deployed with its first write', async () => {
    const { body } = await world.ask('POST', '/object-stores', { ...place(), bucket: 'at-once', deploy: 'on' })
    expect(body).to.deep.equal({ ok: true, name: body.name, kind: 'object-stores', deployed: true })
    expect(await resource(body.name)).to.include({ state: 'pending' })
    expect(await refusalOf({ ...place(), deploy: true })).to.equal('set a bucket name in settings before you deploy')
    expect(await refusalOf({ ...place(), bucket: 'other', deploy: true, draft: true })).to.equal(
      'draft and deploy cannot be used together',
    )
  })

  it('shows callers who cannot change things neither buckets nor where they are', async () => {
    const connectionRef = await makeConnection(world, world.project, 'AWS')
    const fields = { placement: 'External', bucket: 'hidden-bucket', region: 'hidden-region', connectionRef }
    const name = await world.create('/object-stores', fields)
    const status = { connectionSecret: 'hidden-secret', endpoint: 'hidden-endpoint', targetNamespace: 'hidden-place' }
    await world.client.patch(ref(name), { status }, { subresource: 'status' })
    await world.api.needs.records.objectStores.readLive(name)
    for (const who of [world.viewer, world.observer]) {
      for (const path of [`/api/v1/object-stores/${name}`, '/api/v1/object-stores', '/api/bootstrap']) {
        const { text } = await world.api.ask('GET', path, who)
        expect(text).to.include(name)
        expect(text, path).not.to.match(/hidden/)
        expect(text, path).not.to.include(connectionRef)
      }
    }
    expect((await world.ask('GET', `/object-stores/${name}`)).body.spec).to.deep.include({
      engine: 'Remote',
      region: 'hidden-region',
      connectionRef: { name: connectionRef },
    })
  })

  it('POST /object-stores refuses names that no bucket may have, and what does not go together', async () => {
    const pattern =
      'bucket must be 3 to 63 lowercase letters, digits, dots, and hyphens, starting and ending with a letter or digit'
    const planet = await makeConnection(world, world.project, 'PlanetScale')
    const foreign = await makeConnection(world, 'proj-00000000', 'AWS')
    const long = 'b'.repeat(63 - `${world.project}.production.`.length + 1)
    const rows: [object, string][] = [
      ...['ab', 'b'.repeat(64), 'Photos', '-photos', 'photos-', '.photos', 'photos.', 'my_photos'].map(
        (bucket): [object, string] => [{ bucket }, pattern],
      ),
      [{ bucket: '192.168.0.1' }, 'bucket must not look like an IPv4 address'],
      [{ bucket: '999.1.1.1' }, 'bucket must not look like an IPv4 address'],
      [{ bucket: 'my..photos' }, 'bucket must not contain two dots in a row'],
      [
        { bucket: long },
        `the bucket is stored as ${world.project}.production.${long}, which must be at most 63 characters`,
      ],
      [{ engine: 'Remote' }, 'connectionRef is required for a remote store'],
      [{ placement: 'External' }, 'connectionRef is required for a remote store'],
      [{ engine: 'Remote', connectionRef: planet }, `the cloud connection ${planet} is not one of AWS`],
      [{ engine: 'Remote', connectionRef: foreign }, `the project has no cloud connection named ${foreign}`],
      [{ engine: 'Remote', connectionRef: 'absent' }, 'the project has no cloud connection named absent'],
      [{ region: 'eu' }, 'region applies to remote stores and the object server of the cluster only'],
      [{ createBucket: true }, 'createBucket applies to remote stores only'],
      [{ cpu: '1' }, 'cpu applies to the object server of the cluster only'],
      [{ environment: 'nowhere' }, 'the project has no environment nowhere'],
      [{ project: 'proj-00000000' }, 'project not found'],
      [{ name: 'object-server' }, 'the name object-server is already used'],
    ]
    for (const [fields, sentence] of rows)
      expect(await refusalOf({ ...place(), ...fields }), JSON.stringify(fields)).to.equal(sentence)
    expect(await refusalOf({ project: world.project })).to.equal(
      'set project and environment together, or neither for the object server of the cluster',
    )
    await world.create('/object-stores', { name: 'first-one', bucket: 'only-once' })
    expect(await refusalOf({ ...place(), bucket: 'only-once' })).to.equal(
      'another bucket of this environment has this name: first-one',
    )
  })

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

  it('POST /object-stores without a project makes the object server of the cluster, once; it needs no deploy', async () => {
    const nowhere = await world.ask('POST', '/object-stores', { region: 'nowhere', runOnTags: ['none'] }, world.cookie)
    expect(nowhere.body.error).to.equal(
      'the cluster has no capacity: no node in region nowhere with the tag none is ready to take copies',
    )
    const made = await world.ask('POST', '/object-stores', { name: 'our-server', memory: '1Gi' })
    expect(made.body).to.deep.equal({ ok: true, name: 'object-server', kind: 'object-stores' })
    expect(
      (await world.ask('PATCH', '/object-stores/object-server', { region: 'eu', runOnTags: ['ssd'] }, world.cookie))
        .body,
    ).to.deep.equal({ ok: true })
    const { body } = await world.ask('GET', '/object-stores/object-server')
    expect(body.resource).to.include({
      displayName: 'our-server',
      project: '',
      environment: '',
      state: 'draft',
      message: 'waiting for provisioning',
      pendingChanges: 0,
    })
    expect(body.spec).to.deep.include({
      serverRegion: 'eu',
      runOn: { tags: ['ssd'] },
      resources: { requests: { cpu: '250m', memory: '1Gi' } },
    })
    expect(await refusalOf({})).to.equal('the cluster has an object server already: object-server')
    expect(await refusalOf({ engine: 'Remote' })).to.equal(
      'the object server of the cluster has the engine Local and the placement InCluster',
    )
    expect(await refusalOf({ bucket: 'photos' })).to.equal('bucket applies to buckets of a project only')
    expect((await deploy('object-server')).body.error).to.equal(
      'the object server of the cluster runs without a deploy',
    )
    expect((await world.ask('PATCH', '/object-stores/object-server', { cpu: '500m' })).body).to.deep.equal({ ok: true })
    expect(await resource('object-server')).to.include({ pendingChanges: 0 })
    expect(
      (await world.ask('PATCH', '/object-stores/object-server', { runOnTags: ['ssd'] })).status,
      'a token',
    ).to.equal(403)
    expect((await remove('object-server')).body.error).to.match(/^delete the buckets on the object server first: [a-z]/)
  })

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

  it('POST /projects/{name}/deploy takes databases and buckets along, after services, and names the one that is refused', async () => {
    const { project } = (await world.ask('POST', '/projects', {})).body
    const here = { project, environment: 'production' }
    const app = (await world.ask('POST', '/apps', { ...here, image: 'nginx:1' })).body.name
    const database = (await world.ask('POST', '/databases', here)).body.name
    const store = (await world.ask('POST', '/object-stores', here)).body.name
    const deployAll = async () =>
      (await world.ask('POST', `/projects/${project}/deploy`, { environment: 'production' })).body
    expect((await deployAll()).error).to.equal(`${store}: set a bucket name in settings before you deploy`)
    expect((await world.ask('GET', `/apps/${app}`)).body.resource.state).to.equal('pending')
    expect((await world.ask('GET', `/databases/${database}`)).body.resource.state).to.equal('pending')
    await world.ask('PATCH', `/object-stores/${store}`, { bucket: 'photos' })
    await world.ask('PATCH', `/databases/${database}`, { cpu: '300m' })
    expect(await deployAll()).to.deep.equal({ ok: true, deployed: 2 })
    expect(await deployAll()).to.deep.equal({ ok: true, deployed: 0 })
  })
})
