/** Templates as callers see them, and the drafts made from them, also when the api dies half-way. */
import { expect } from 'chai'
import { type ClusterClient, connectCluster } from '../../cluster/client.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type TestApi } from './test-api.ts'

type Made = { kind: 'app' | 'database'; name: string }

describe('templates', () => {
  let api: TestApi
  let client: ClusterClient & { close(): Promise<void> }
  let token: string
  let project: string
  /** How many writes reach the cluster before it becomes unreachable for this api. */
  let left = Number.POSITIVE_INFINITY

  before(async function () {
    this.timeout(60_000)
    client = connectCluster({ kubeconfig: (await useStack()).kubeconfig })
    const write = <Result>(send: () => Promise<Result>): Promise<Result> => {
      left -= 1
      if (left < 0) throw new Error('died before this write')
      return send()
    }
    api = await startTestApi({
      client: {
        ...client,
        create: async (...args) => await write(() => client.create(...args)),
        replace: async (...args) => await write(() => client.replace(...args)),
      },
    })
    token = await api.token({ role: 'admin' })
  })
  beforeEach(async () => {
    left = Number.POSITIVE_INFINITY
    project = (await api.ask('POST', '/api/v1/projects', { token, json: {} })).body.project
  })
  after(async () => {
    await api.stop()
    await client.close()
  })

  const deploy = (id: string, json: object = { project, environment: 'production' }) =>
    api.ask('POST', `/api/v1/templates/${id}/deploy`, { token, json })
  const named = (created: Made[], kind: Made['kind']): string => created.find((each) => each.kind === kind)?.name ?? ''
  const listed = async (kind: 'apps' | 'databases'): Promise<string[]> => {
    const { body } = await api.ask('GET', `/api/v1/${kind}?project=${project}`, { token })
    return body.items.map(({ name }: { name: string }) => name)
  }
  const planOf = async () =>
    (await client.get<Project>({ type: resourceTypes.project, namespace: systemNamespace, name: project }))?.metadata
      .annotations?.[annotations.templates]

  it('GET /api/v1/templates and GET /api/templates list the catalogue', async () => {
    const { body } = await api.ask('GET', '/api/v1/templates', { token })
    expect(body.items.length).to.be.at.least(10)
    const umami = body.items.find(({ id }: { id: string }) => id === 'umami')
    expect(umami).to.deep.include({
      name: 'Umami',
      category: 'Analytics',
      resources: [
        { kind: 'database', name: 'db' },
        { kind: 'app', name: 'web' },
      ],
      variables: [
        { resource: 'web', name: 'APP_SECRET', kind: 'secret' },
        { resource: 'web', name: 'DATABASE_URL', kind: 'reference' },
      ],
    })
    expect((await api.ask('GET', '/api/templates', { token })).body).to.deep.equal(body)
  })

  it('POST /api/v1/templates/{id}/deploy makes drafts that know each other', async () => {
    const answer = await deploy('umami')
    const { created } = answer.body
    expect([answer.status, answer.body.ok, created.map(({ kind }: Made) => kind)]).to.deep.equal([
      200,
      true,
      ['database', 'app'],
    ])
    const [database, app] = [named(created, 'database'), named(created, 'app')]
    expect(database).to.match(/^umami-db-[0-9a-f]{4}$/)
    expect(app).to.equal(database.replace('-db-', '-web-'))
    expect((await api.ask('GET', `/api/v1/databases/${database}`, { token })).body.resource.state).to.equal('draft')
    const service = (await api.ask('GET', `/api/v1/apps/${app}`, { token })).body
    expect(service.resource.state).to.equal('draft')
    expect(service.spec).to.deep.include({
      port: 3000,
      env: [{ name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: `${database}-connection`, key: 'uri' } } }],
    })
    expect((await api.ask('GET', `/api/v1/apps/${app}/variables`, { token })).body.secrets).to.deep.equal([
      'APP_SECRET',
    ])
    expect(await planOf()).to.equal(undefined)
  })

  it('POST /api/templates/{id}/deploy makes another set each time', async () => {
    const form = { project, environment: 'production' }
    const first = (await api.ask('POST', '/api/templates/web-server/deploy', { token, form })).body.created
    const second = (await api.ask('POST', '/api/templates/web-server/deploy', { token, form })).body.created
    expect(await listed('apps')).to.have.members([named(first, 'app'), named(second, 'app')])
    expect(named(first, 'app')).not.to.equal(named(second, 'app'))
  })

  it('every template can be deployed', async function () {
    this.timeout(120_000)
    for (const { id, resources } of (await api.ask('GET', '/api/v1/templates', { token })).body.items) {
      const answer = await deploy(id)
      expect(answer.status, `${id}: ${answer.text}`).to.equal(200)
      expect(answer.body.created, id).to.have.length(resources.length)
    }
  })

  it('POST /api/v1/templates/{id}/deploy dies before any of its writes, and the next try completes the very same drafts', async function () {
    this.timeout(120_000)
    for (let writes = 0; ; writes += 1) {
      project = (await api.ask('POST', '/api/v1/projects', { token, json: {} })).body.project
      left = writes
      const cut = await deploy('miniflux')
      left = Number.POSITIVE_INFINITY
      if (cut.status === 200) {
        // The plan, a database, a service, its secret with two marks, and the closing of the plan.
        expect(writes).to.be.at.least(6)
        return
      }
      const before = [...(await listed('apps')), ...(await listed('databases'))]
      const { created } = (await deploy('miniflux')).body
      expect(
        created.map(({ name }: Made) => name),
        `after ${writes} writes`,
      ).to.include.members(before)
      expect([await listed('apps'), await listed('databases')]).to.deep.equal([
        [named(created, 'app')],
        [named(created, 'database')],
      ])
      expect(
        (await api.ask('GET', `/api/v1/apps/${named(created, 'app')}/variables`, { token })).body.secrets,
      ).to.deep.equal(['ADMIN_PASSWORD'])
      expect(await planOf()).to.equal(undefined)
    }
  })

  it('names that kubectl made unreadable are refused in words: another set is not made beside the first', async () => {
    left = 2
    expect((await deploy('miniflux')).status).to.equal(500)
    left = Number.POSITIVE_INFINITY
    const before = [...(await listed('apps')), ...(await listed('databases'))]
    const harm = (text: string | null) =>
      client.patch(
        { type: resourceTypes.project, namespace: systemNamespace, name: project },
        { metadata: { annotations: { [annotations.templates]: text } } },
      )
    await harm('{"production/miniflux":{"db":"Not a name"}}')
    const answer = await deploy('miniflux')
    expect([answer.status, answer.body.error]).to.deep.equal([
      400,
      'the annotation svc.dev/templates cannot be read: production/miniflux.db: ' +
        'Invalid string: must match pattern /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/; ' +
        'remove it from the project, and the drafts that it named',
    ])
    expect([...(await listed('apps')), ...(await listed('databases'))]).to.deep.equal(before)
    await harm(null)
    expect((await deploy('miniflux')).status).to.equal(200)
  })

  it('a try that goes on leaves the secrets that were made as they are', async () => {
    left = 6
    expect((await deploy('miniflux')).status).to.equal(500)
    left = Number.POSITIVE_INFINITY
    const [app = ''] = await listed('apps')
    const secret = async () =>
      JSON.stringify(
        (
          await client.get<App & { data?: object }>({
            type: { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true },
            namespace: systemNamespace,
            name: `${app}-secrets`,
          })
        )?.data,
      )
    const before = await secret()
    expect(before).to.include('ADMIN_PASSWORD')
    expect((await deploy('miniflux')).status).to.equal(200)
    expect(await secret()).to.equal(before)
  })

  const refused: [string, string, () => object, number, string][] = [
    ['an unknown template', 'nothing', () => ({ project, environment: 'production' }), 404, 'template not found'],
    [
      'an unknown project',
      'umami',
      () => ({ project: 'proj-ffffffff', environment: 'production' }),
      404,
      'project not found',
    ],
    [
      'an unknown environment',
      'umami',
      () => ({ project, environment: 'staging' }),
      400,
      'the project has no environment staging',
    ],
    ['no project', 'umami', () => ({ environment: 'production' }), 400, 'project is required'],
    ['no environment', 'umami', () => ({ project }), 400, 'environment is required'],
  ]
  for (const [what, id, json, status, error] of refused) {
    it(`POST /api/v1/templates/{id}/deploy refuses ${what} and makes nothing`, async () => {
      const answer = await deploy(id, json())
      expect([answer.status, answer.body.error]).to.deep.equal([status, error])
      expect([...(await listed('apps')), ...(await listed('databases'))]).to.deep.equal([])
    })
  }
})
