/** Buckets and the object server over HTTP: drafts, deploys, refusals, and who may see what. */
import { expect } from 'chai'
import { annotations } from '../../kinds/meta/annotations.ts'
import { deployRequestOf } from '../../kinds/provision/deploy-request.ts'
import { effectiveStoreSpec } from '../../kinds/object-stores/draft.ts'
import { useBuckets } from './buckets-world.ts'
import { makeConnection } from './data-world.ts'

describe('Buckets', () => {
  const { world, place, ref, record, refusalOf, deploy, remove, resource } = useBuckets()

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
