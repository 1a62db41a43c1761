/** Databases over HTTP, on both surfaces: draft, deploy that waits, settings, deletion. */
import { expect } from 'chai'
import { annotations } from '../../kinds/meta/annotations.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { deployRequestOf } from '../../kinds/provision/deploy-request.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { type DataWorld, makeConnection, openDataWorld } from './data-world.ts'
import { forgetRecords } from '../harness/forget-records.ts'

describe('Databases', () => {
  let world: DataWorld

  before(async function () {
    this.timeout(60_000)
    world = await openDataWorld()
  })
  after(async () => {
    await world.api.stop()
    await forgetRecords()
  })

  const record = async (name: string): Promise<Database> => {
    const found = await world.record<Database>('database', name)
    if (found === undefined) throw new Error(`no database ${name}`)
    return found
  }
  const place = () => ({ project: world.project, environment: 'production' })
  const refusalOf = async (fields: object): Promise<unknown> =>
    (await world.ask('POST', '/databases', fields)).body.error
  const form = (path: string, fields: Record<string, string> = {}, method = 'POST') =>
    world.api.ask(method, `/api${path}`, { ...world.cookie, ...(method === 'GET' ? {} : { form: fields }) })

  it('POST /databases saves a draft with a name of two words, and GET /databases and GET /databases/{name} show it', async () => {
    const { body } = await world.ask('POST', '/databases', place())
    const { name } = body
    expect(body).to.deep.equal({ ok: true, name, kind: 'databases' })
    expect(name).to.match(/^[a-z]+-[a-z]+$/)
    const { metadata, spec } = await record(name)
    const summary = {
      kind: 'database',
      name,
      displayName: name,
      ...place(),
      state: 'draft',
      message: '',
      url: '',
      pendingChanges: 1,
      createdAt: metadata.creationTimestamp,
      details: { engine: 'postgres', highAvailability: false, placement: 'InCluster', version: '16' },
    }
    expect((await world.ask('GET', `/databases?project=${world.project}`)).body.items).to.deep.include(summary)
    expect((await world.ask('GET', `/databases/${name}`)).body).to.deep.equal({ resource: summary, spec, status: {} })
    expect((await world.ask('GET', '/databases?environment=nowhere')).body).to.deep.equal({ items: [] })
  })

  it('POST /databases takes every field', async () => {
    const fields = {
      engine: 'postgres',
      name: 'all-fields',
      version: '17',
      storageSize: '5Gi',
      cpu: '1',
      memory: '1Gi',
      databaseName: 'shop',
    }
    const tags = { highAvailability: true, backups: 'on', backupRetentionDays: 3, runOnTags: ['ssd'] }
    const blank = await world.ask('POST', '/databases', {
      ...place(),
      ...Object.fromEntries(Object.keys(fields).map((name) => [name, ''])),
    })
    expect((await record(blank.body.name)).spec, 'texts left blank').to.deep.include({
      engine: 'postgres',
      version: '16',
      databaseName: '',
    })
    const created = await world.ask('POST', '/databases', { ...place(), ...fields, ...tags }, world.cookie)
    expect(created.body).to.deep.equal({ ok: true, name: 'all-fields', kind: 'databases' })
    expect((await record('all-fields')).spec).to.deep.include({
      engine: 'postgres',
      version: '17',
      storageSize: '5Gi',
      resources: { requests: { cpu: '1', memory: '1Gi' } },
      databaseName: 'shop',
      highAvailability: true,
      instances: 3,
      backups: { enabled: true, retentionDays: 3 },
      runOn: { tags: ['ssd'] },
    })
    expect((await world.ask('POST', '/databases', { ...place(), runOnTags: ['ssd'] })).status, 'a token').to.equal(403)
  })

  it('shows callers who cannot change things an empty engine and no address', async () => {
    const name = await world.create('/databases', { engine: 'mysql', version: '8.4', storageSize: '7Gi' })
    const status = {
      connectionSecret: 'hidden-secret',
      host: 'hidden-host',
      port: 3306,
      targetNamespace: 'hidden-place',
    }
    await world.client.patch(
      { type: resourceTypes.database, namespace: systemNamespace, name },
      { status },
      { subresource: 'status' },
    )
    for (const who of [world.viewer, world.observer]) {
      const { body } = await world.ask('GET', `/databases/${name}`, undefined, who)
      expect(body.resource.details).to.deep.equal({
        engine: '',
        highAvailability: false,
        placement: 'InCluster',
        version: '',
      })
      const list = await world.ask('GET', '/databases', undefined, who)
      const bootstrap = await world.api.ask('GET', '/api/bootstrap', who)
      for (const { text } of [list, bootstrap, { text: JSON.stringify(body) }]) {
        expect(text).to.include(name)
        expect(text).not.to.match(/mysql|hidden|7Gi/)
      }
    }
    expect((await world.ask('GET', `/databases/${name}`)).body.spec.engine).to.equal('mysql')
  })

  it('POST /databases/{name}/deploy is one write that says who asked; the database waits to be provisioned', async () => {
    const name = await world.create('/databases')
    expect((await world.ask('POST', `/databases/${name}/deploy`, {})).body).to.deep.equal({ ok: true })
    const { spec, metadata } = await record(name)
    expect(spec.deploy.enabled).to.equal(true)
    expect(metadata.annotations).not.to.have.property(annotations.pendingChanges)
    expect(JSON.parse(metadata.annotations?.[annotations.lastDeployed] ?? '')).to.deep.equal(spec)
    expect(deployRequestOf({ metadata })?.actor).to.match(/^token:/)
    const { resource } = (await world.ask('GET', `/databases/${name}`)).body
    expect(resource).to.include({ state: 'pending', message: 'waiting for provisioning', pendingChanges: 0 })
    expect((await form(`/databases/${name}/deploy`)).body).to.deep.equal({ ok: true })
    expect(deployRequestOf(await record(name))?.actor).to.equal('admin')
    expect((await world.ask('POST', '/databases/nobody/deploy', {})).body).to.deep.equal({
      error: 'database not found',
      code: 'not_found',
    })
  })

  it('POST /databases with deploy is deployed with its first write, or not saved at all', async () => {
    const { body } = await world.ask('POST', '/databases', { ...place(), deploy: true })
    expect(body).to.deep.equal({ ok: true, name: body.name, kind: 'databases', deployed: true })
    expect((await record(body.name)).spec.deploy.enabled).to.equal(true)
    const before = (await world.ask('GET', '/databases')).body.items.length
    expect(await refusalOf({ ...place(), deploy: true, memory: '100Ti' })).to.match(/^the cluster has no capacity: /)
    expect(await refusalOf({ ...place(), deploy: true, highAvailability: true })).to.equal(
      'high availability needs the CloudNativePG operator, which is not installed on this cluster',
    )
    expect(await refusalOf({ ...place(), deploy: true, draft: true })).to.equal(
      'draft and deploy cannot be used together',
    )
    expect((await world.ask('GET', '/databases')).body.items.length).to.equal(before)
  })

  it('POST /databases/{name}/deploy is refused without capacity, and without the operator that copies need', async () => {
    const large = await world.create('/databases', { cpu: '10000' })
    expect((await world.ask('POST', `/databases/${large}/deploy`, {})).body.error).to.match(
      /^the cluster has no capacity: /,
    )
    const copies = await world.create('/databases', { clusterSize: 5 })
    expect((await world.ask('POST', `/databases/${copies}/deploy`, {})).body.error).to.match(/CloudNativePG operator/)
    for (const name of [large, copies])
      expect((await world.ask('GET', `/databases/${name}`)).body.resource).to.include({
        state: 'draft',
        pendingChanges: 1,
      })
  })

  it('POST /databases refuses what does not go together', async () => {
    const planet = await makeConnection(world, world.project, 'PlanetScale')
    const foreign = await makeConnection(world, 'proj-00000000', 'AWS')
    const rows: [object, string][] = [
      [{ engine: 'redis', highAvailability: true }, 'high availability needs the engine postgres'],
      [{ engine: 'mysql', clusterSize: 3 }, 'high availability needs the engine postgres'],
      [{ highAvailability: true, clusterSize: 1 }, 'high availability needs at least 3 copies'],
      [{ provider: 'AWS' }, 'provider and connectionRef apply to external databases only'],
      [{ connectionRef: planet }, 'provider and connectionRef apply to external databases only'],
      [{ region: 'eu' }, 'region applies to the shared server of the cluster only'],
      [{ placement: 'External' }, 'an external database needs a provider and a connectionRef'],
      [
        { placement: 'External', engine: 'redis', provider: 'AWS', connectionRef: planet },
        'an external database must be postgres or mysql',
      ],
      [{ placement: 'External', highAvailability: true }, 'highAvailability applies to databases on this cluster only'],
      [
        { placement: 'External', provider: 'AWS', connectionRef: planet },
        `the cloud connection ${planet} is not one of AWS`,
      ],
      [
        { placement: 'External', provider: 'AWS', connectionRef: foreign },
        `the project has no cloud connection named ${foreign}`,
      ],
      [{ environment: 'nowhere' }, 'the project has no environment nowhere'],
      [{ project: 'proj-00000000' }, 'project not found'],
    ]
    for (const [fields, sentence] of rows)
      expect(await refusalOf({ ...place(), ...fields }), JSON.stringify(fields)).to.equal(sentence)
    expect(await refusalOf({ project: world.project })).to.equal(
      'set project and environment together, or neither for the shared server of the cluster',
    )
    const external = await world.create('/databases', {
      placement: 'External',
      engine: 'mysql',
      provider: 'PlanetScale',
      connectionRef: planet,
    })
    expect((await world.ask('POST', `/databases/${external}/deploy`, {})).body).to.deep.equal({ ok: true })
  })

  it('POST /databases without a project makes the shared server of the cluster, one for each engine', async () => {
    const made = await world.ask('POST', '/databases', { engine: 'mysql', name: 'our-mysql', region: 'eu' })
    expect(made.body).to.deep.equal({ ok: true, name: 'shared-mysql', kind: 'databases' })
    const { body } = await world.ask('GET', '/databases/shared-mysql')
    expect(body.resource).to.include({ displayName: 'our-mysql', project: '', environment: '', state: 'draft' })
    expect(body.spec.serverRegion).to.equal('eu')
    expect(await refusalOf({ engine: 'mysql' })).to.equal('the cluster has a shared mysql server already: shared-mysql')
    expect(await refusalOf({ engine: 'redis' })).to.equal('the shared server of the cluster must be postgres or mysql')
    expect(await refusalOf({ placement: 'External' })).to.equal('the shared server of the cluster cannot be external')
    expect(await refusalOf({ ...place(), name: 'shared-postgres' })).to.equal(
      'the name shared-postgres is already used',
    )
    expect((await world.ask('POST', '/databases', {})).body.name).to.equal('shared-postgres')
  })

  it('one name stands for one thing of an environment', async () => {
    await world.create('/apps', { name: 'one-thing', image: 'nginx:1' })
    const sentence = 'the name one-thing is already used'
    expect(await refusalOf({ ...place(), name: 'one-thing' })).to.equal(sentence)
    await world.create('/databases', { name: 'other-thing' })
    for (const path of ['/apps', '/databases', '/object-stores'])
      expect((await world.ask('POST', path, { ...place(), name: 'other-thing' })).body.error, path).to.equal(
        'the name other-thing is already used',
      )
    await world.ask('POST', `/projects/${world.project}/environments`, { environment: 'elsewhere' })
    expect(
      await refusalOf({ ...place(), environment: 'elsewhere', name: 'one-thing' }),
      'another environment',
    ).to.equal(undefined)
    expect(await refusalOf({ ...place(), environment: 'elsewhere', name: 'other-thing' }), 'the same kind').to.equal(
      'the name other-thing is already used',
    )
  })

  it('two processes that give one name to two kinds of things at once end with one of them at most', async function () {
    this.timeout(60_000)
    const second = await openDataWorld()
    const others = [
      ['/object-stores', 'objectStore'],
      ['/apps', 'app'],
      ['/object-stores', 'objectStore'],
      ['/apps', 'app'],
    ] as const
    try {
      for (const [round, [path, type]] of others.entries()) {
        const name = `at-once-${round}`
        const answers = await Promise.all([
          world.ask('POST', '/databases', { ...place(), name }),
          second.ask('POST', path, { ...place(), name }),
        ])
        const made = answers.filter(({ status }) => status === 200).length
        // A service whose creation was undone still exists, marked deleted, until a worker removes its finalizer.
        const records = await Promise.all([world.record('database', name), world.record(type, name)])
        const there = records.filter(
          (each) => each !== undefined && each.metadata.deletionTimestamp === undefined,
        ).length
        expect([made <= 1, there], answers.map(({ text }) => text).join(' ')).to.deep.equal([true, made])
      }
    } finally {
      await second.api.stop()
    }
  })

  it('DELETE /databases/{name} wants the name again; a draft and a pending one are gone at once, and their name is free', async () => {
    for (const deploy of [false, true]) {
      const name = await world.create('/databases', { name: 'short-lived', deploy })
      const wrong = await world.api.ask('DELETE', `/api/v1/databases/${name}?confirmName=other`, world.cookie)
      expect([wrong.status, wrong.body.error]).to.deep.equal([400, 'confirmation did not match the resource name'])
      const right = await world.api.ask('DELETE', `/api/v1/databases/${name}?confirmName=${name}`, world.cookie)
      expect(right.body).to.deep.equal({ ok: true })
      expect((await world.ask('GET', `/databases/${name}`)).status).to.equal(404)
      expect(await world.record('database', name)).to.equal(undefined)
    }
    const gone = await form('/databases/short-lived/delete', { confirmName: 'short-lived' })
    expect([gone.status, gone.text]).to.deep.equal([404, '404 page not found'])
  })

  it('DELETE /databases/{name} with abandon is for a database at PlanetScale only', async () => {
    const abandon = (name: string) =>
      world.api.ask('DELETE', `/api/v1/databases/${name}?confirmName=${name}&abandon=on`, world.cookie)
    const local = await world.create('/databases')
    expect((await abandon(local)).body.error).to.equal('only a database at PlanetScale can be abandoned')
    expect((await world.record('database', local))?.metadata.deletionTimestamp).to.equal(undefined)
    const connectionRef = await makeConnection(world, world.project, 'PlanetScale')
    const name = await world.create('/databases', {
      placement: 'External',
      provider: 'PlanetScale',
      engine: 'mysql',
      connectionRef,
    })
    expect((await abandon(name)).body, 'nothing was made for it').to.deep.equal({ ok: true, stays: [] })
    expect(await world.record('database', name)).to.equal(undefined)
  })

  it('one that something holds is deleting, and takes no edit and no deploy', async () => {
    const name = await world.create('/databases')
    const ref = { type: resourceTypes.database, namespace: systemNamespace, name }
    await world.client.patch(ref, { metadata: { finalizers: ['example.com/held'] } })
    expect((await form(`/databases/${name}/delete`, { confirmName: name })).body).to.deep.equal({ ok: true })
    expect((await world.ask('GET', `/databases/${name}`)).body.resource.state).to.equal('deleting')
    for (const [method, path] of [
      ['PATCH', ''],
      ['POST', '/deploy'],
    ] as const)
      expect((await world.ask(method, `/databases/${name}${path}`, { version: '17' })).body.error).to.equal(
        'the database is being deleted',
      )
    await world.client.patch(ref, { metadata: { finalizers: null } })
    expect(await world.record('database', name)).to.equal(undefined)
  })

  it('GET /databases/{name}/metrics says honestly that there is no store', async () => {
    const name = await world.create('/databases')
    const { body } = await world.ask('GET', `/databases/${name}/metrics?window=1h`, undefined, world.viewer)
    expect(body).to.include({ window: '1h', available: false })
    expect(Object.keys(body.series)).to.include.members(['cpu', 'memory', 'storage'])
  })

  it('GET /api/databases/{db}/query is a 405, and a query waits for the connection details', async () => {
    const name = await world.create('/databases')
    const asked = await form(`/databases/${name}/query`, { query: 'select 1' })
    expect([asked.status, asked.body]).to.deep.equal([400, { error: 'no connection details yet' }])
    const read = await form(`/databases/${name}/query`, {}, 'GET')
    expect([read.status, read.body]).to.deep.equal([405, { error: 'method not allowed' }])
    expect((await world.ask('GET', `/databases/${name}/query`)).status).to.equal(405)
  })

  it('no project token comes in', async () => {
    const name = await world.create('/databases')
    for (const path of [
      '/databases',
      `/databases/${name}`,
      `/databases/${name}/connection`,
      `/databases/${name}/metrics`,
    ]) {
      const { status, body } = await world.ask('GET', path, undefined, world.projectToken)
      expect([status, body.error], path).to.deep.equal([403, 'this token cannot access that endpoint'])
    }
  })
})
