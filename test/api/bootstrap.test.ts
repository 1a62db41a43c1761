/** The dashboard's first read: complete for admins, redacted for all other callers, without secrets for all. */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { View } from '../../contract/operations.ts'
import { bootstrapView } from '../../contract/platform/views.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type TestApi } from './test-api.ts'

describe('bootstrap', () => {
  let api: TestApi
  let admin: string
  let viewer: string
  let project: string
  let app: string

  before(async function () {
    this.timeout(60_000)
    api = await startTestApi()
    admin = await api.token({ role: 'admin' })
    viewer = await api.token({ role: 'observer' })
    project = (await api.ask('POST', '/api/v1/projects', { token: admin, json: {} })).body.project
    const json = { project, environment: 'production', image: 'registry.example.com/hidden:1' }
    app = (await api.ask('POST', '/api/v1/apps', { token: admin, json })).body.name
    await api.ask('POST', `/api/v1/apps/${app}/config/set`, {
      token: admin,
      json: { key: 'GREETING', value: 'hello-config' },
    })
    await api.ask('POST', `/api/v1/apps/${app}/secrets/set`, {
      token: admin,
      json: { key: 'PASSWORD', value: 'hello-secret' },
    })
  })
  after(() => api.stop())

  const read = async (token: string) => (await api.ask('GET', '/api/bootstrap', { token })).body
  const named = (list: { items: { metadata: { name: string } }[] | null }, name: string) =>
    list.items?.find(({ metadata }) => metadata.name === name)

  it('has every key of its view, in its shape', async () => {
    const body = await read(admin)
    expect(bootstrapView.strict().safeParse(body).error).to.equal(undefined)
    expect(body.platform, 'for admins, known or not').to.include.keys('cloudflareZoneId', 'cloudflareZoneName')
    expect(Object.keys(body)).to.have.members([
      'projects',
      'apps',
      'databases',
      'logicalDatabases',
      'objectStores',
      'deployments',
      'builds',
      'clusters',
      'haReadiness',
      'backupArchives',
      'cloudConnections',
      'platformConfig',
      'platform',
      'metrics',
    ])
    expect(body.databases).to.deep.equal({ items: null })
  })

  it('shows an admin the records whole, but no secret', async () => {
    const body = await read(admin)
    expect(named(body.apps, app)).to.have.nested.property('spec.source.image.image', 'registry.example.com/hidden:1')
    expect(JSON.stringify(body)).to.include('hello-config').and.not.include('hello-secret')
    expect(JSON.stringify(body)).not.to.include(Buffer.from('hello-secret').toString('base64'))
  })

  it('shows an observer which records there are and how they are, and nothing of what is in them', async () => {
    const body = await read(viewer)
    expect(named(body.projects, project))
      .to.have.nested.property('spec.displayName')
      .that.matches(/^[a-z]+-[a-z]+$/)
    expect(named(body.apps, app)).to.have.nested.property('spec.environment', 'production')
    expect(JSON.stringify(body)).not.to.match(/hidden:1|hello-config|GREETING|hello-secret/)
    expect([body.builds, body.cloudConnections, body.platformConfig]).to.deep.equal([
      { items: null },
      { items: null },
      { items: null },
    ])
    expect(body.platform.session).to.include({ role: 'observer', canMutate: false })
  })

  it('shows metadata, spec and status of every record, also where it has none of them or may show none', async () => {
    const { client } = await useStack()
    // A worker of another test may have made the record of the cluster itself.
    const [type, namespace, cluster] = [resourceTypes.cluster, systemNamespace, `beside-${project}`]
    await client.create(type, { apiVersion, kind: type.kind, metadata: { name: cluster, namespace }, spec: {} })
    for (const token of [admin, viewer]) {
      await eventually('the cluster is listed', async () => named((await read(token)).clusters, cluster) !== undefined)
      const { platform: _, metrics: __, ...lists } = await read(token)
      expect(named(lists.apps, app), 'a draft').to.have.property('status').that.deep.equals({})
      for (const [name, { items }] of Object.entries<{ items: object[] | null }>(lists))
        for (const item of items ?? []) expect(item, name).to.have.all.keys('metadata', 'spec', 'status')
    }
    await client.delete({ type, namespace, name: cluster })
  })

  it('lists the oldest first', async () => {
    const { items } = (await read(admin)).projects
    const born = items.map(({ metadata }: { metadata: { creationTimestamp: string } }) => metadata.creationTimestamp)
    expect(born).to.deep.equal([...born].sort((a: string, b: string) => a.localeCompare(b)))
  })

  it('knows the capacity of the cluster and its storage', async () => {
    const { platform, metrics } = await read(viewer)
    expect(platform.capacity.cpuAllocatableMillis).to.be.greaterThan(0)
    expect(platform.capacity.cpuFreeMillis).to.be.at.most(platform.capacity.cpuAllocatableMillis)
    expect(platform.healthyNodes).to.equal(metrics.nodes)
    expect(platform.defaultStorage).to.equal('simulated')
    expect(metrics.cpuCores).to.equal(null)
  })

  it('GET /api/platform/warnings says what is set up and does not work, and to observers no names', async () => {
    const { client } = await useStack()
    const config = { apiVersion, kind: resourceTypes.platformConfig.kind, metadata: { name: 'platform' } }
    const made = await client.create<KubeObject & { spec: object }>(resourceTypes.platformConfig, {
      ...config,
      metadata: { ...config.metadata, namespace: systemNamespace },
      spec: { rootDomain: 'shop.example.test' },
    })
    const condition = { type: 'DashboardDomainReady', status: 'False', reason: 'PendingDNS', observedGeneration: 1 }
    const message = 'svc.shop.example.test does not resolve yet'
    const lastTransitionTime = new Date().toISOString()
    await client.patch(
      { type: resourceTypes.platformConfig, namespace: systemNamespace, name: made.metadata.name },
      { status: { conditions: [{ ...condition, message, lastTransitionTime }] } },
      { subresource: 'status' },
    )
    const domainOf = async (token: string) => {
      const { body } = await api.ask('GET', '/api/platform/warnings', { token })
      return (body as View<'platform.warnings'>).items.find(({ about }) => about === 'domain')?.message
    }
    await eventually('it is said', async () => (await domainOf(admin)) === message)
    expect(await domainOf(viewer)).to.equal('the domain of the platform does not work')
    await client.delete({ type: resourceTypes.platformConfig, namespace: systemNamespace, name: 'platform' })
  })

  it('GET /api/bootstrap answers with the same bytes until something changes, and then with the change', async () => {
    const text = async (token: string) => (await api.ask('GET', '/api/bootstrap', { token })).text
    const [before, redacted] = [await text(admin), await text(viewer)]
    await eventually('two answers are the same', async () => (await text(admin)) === (await text(admin)))
    await api.ask('POST', `/api/v1/apps/${app}/config/set`, {
      token: admin,
      json: { key: 'GREETING', value: 'another-config' },
    })
    expect(await text(admin))
      .to.include('another-config')
      .and.not.include('hello-config')
    expect(await text(viewer)).not.to.include('another-config')
    expect(JSON.parse(redacted)).to.have.keys(Object.keys(JSON.parse(before) as object))
  })

  it('GET /api/bootstrap is refused to project tokens', async () => {
    const token = await api.token({ scope: 'project', project, environment: 'production' })
    for (const path of ['/api/bootstrap', '/api/v1/bootstrap']) {
      const { status, body } = await api.ask('GET', path, { token })
      expect([status, body.error]).to.deep.equal([403, 'this token cannot access that endpoint'])
    }
  })
})
