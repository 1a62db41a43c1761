/** Databases over HTTP, on both surfaces: drafts, deploys that wait, refusals, and who may see what. */
import { expect } from 'chai'
import { annotations } from '../../kinds/meta/annotations.ts'
import { deployRequestOf } from '../../kinds/provision/deploy-request.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { makeConnection } from './data-world.ts'
import { useDatabases } from './databases-world.ts'

describe('Databases', () => {
  const { world, place, record, refusalOf, form } = useDatabases()

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
