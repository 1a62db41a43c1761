/** Variables of services: plain ones, secrets, references and shared ones, and which values a deploy freezes. */
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { onConflict, perRequest } from '../../records/store/retry.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { withSpec } from '../../kinds/apps/spec/draft.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { pendingChangesOf } from '../../kinds/provision/draft.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { openSecretEdit } from '../../kinds/apps/spec/secret-edit.ts'
import { databaseSpec } from '../../kinds/databases/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type TestApi } from './test-api.ts'

describe('Variables of a service', () => {
  let api: TestApi
  let other: TestApi
  let token: string
  let project: string

  before(async function () {
    this.timeout(60_000)
    ;[api, other] = await Promise.all([startTestApi(), startTestApi()])
    token = await api.token({ name: 'variables', role: 'admin' })
    project = (await post('/projects')).body.project
  })
  after(async () => {
    await Promise.all([api.stop(), other.stop()])
  })

  const post = (path: string, json: object = {}, at = api) => at.ask('POST', `/api/v1${path}`, { token, json })
  const create = async (fields: object = {}): Promise<string> =>
    (await post('/apps', { project, environment: 'production', image: 'svc/hello:1', ...fields })).body.name
  const deployed = () => create({ deploy: true })
  const record = async (name: string): Promise<App> => {
    const { client } = await useStack()
    const app = await client.get<App>({ type: resourceTypes.app, namespace: systemNamespace, name })
    if (app === undefined) throw new Error(`no service ${name}`)
    return app
  }
  /** The values of a Secret in svc-system. */
  const secret = async (name: string): Promise<Record<string, string>> => {
    const { client } = await useStack()
    const found = await client.get<KubeObject & { data?: Record<string, string> }>({
      type: coreTypes.secret,
      namespace: systemNamespace,
      name,
    })
    return Object.fromEntries(
      Object.entries(found?.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
    )
  }
  /** The values that the pods of the accepted release get. */
  const frozen = async (name: string) => secret(viewOf(await record(name)).attempt?.release ?? 'none')

  it('POST /apps/{name}/config/set and POST /apps/{name}/config/delete wait for a deploy', async () => {
    const name = await deployed()
    expect((await post(`/apps/${name}/config/set`, { key: 'A', value: '1' })).body).to.deep.equal({
      ok: true,
      config: { A: '1' },
      pending: ['variables'],
    })
    expect(viewOf(await record(name)).effectiveSpec?.configData).to.deep.equal({})
    expect((await post(`/apps/${name}/config/delete`, { key: 'A' })).body).to.deep.equal({
      ok: true,
      config: {},
      pending: [],
    })
    expect((await post(`/apps/${name}/config/set`, { key: 'not upper', value: '' })).body.error).to.equal(
      'variable name must use uppercase letters, numbers, and underscores',
    )
    expect((await post(`/apps/${await create()}/config/set`, { key: 'A', value: '1' })).body.pending).to.deep.equal([
      'created',
      'variables',
    ])
  })

  it('POST /api/apps/{app}/config/raw replaces them all', async () => {
    const name = await deployed()
    await post(`/apps/${name}/config/set`, { key: 'OLD', value: '1' })
    const { body } = await post(`/apps/${name}/config/raw`, {
      config: '# comment\nA=1\n\nexport B="two words"\nC=x=y\n',
    })
    expect(body).to.deep.equal({ ok: true, config: { A: '1', B: 'two words', C: 'x=y' }, pending: ['variables'] })
    expect((await post(`/apps/${name}/config/raw`, { config: 'A=1\nnonsense' })).body.error).to.equal(
      'line 2 must be NAME=value',
    )
  })

  it('POST /apps/{name}/secrets/set and secrets/delete answer names and never values', async () => {
    const name = await deployed()
    const set = await post(`/apps/${name}/secrets/set`, { key: 'PASSWORD', value: 'hunter2' })
    expect(set.body).to.deep.equal({ ok: true, secrets: ['PASSWORD'], pending: ['variables'] })
    expect(await secret(`${name}-secrets`)).to.deep.equal({ PASSWORD: 'hunter2' })
    expect(JSON.stringify(await record(name)) + JSON.stringify(api.logLines()))
      .not.to.include('hunter2')
      .and.not.to.include('aHVudGVyMg')
    expect((await post(`/apps/${name}/secrets/delete`, { key: 'PASSWORD' })).body).to.deep.equal({
      ok: true,
      secrets: [],
      pending: ['variables'],
    })
    expect((await post(`/apps/${name}/secrets/delete`, { key: 'PASSWORD' })).body.secrets).to.deep.equal([])
  })

  it('a deploy freezes the secrets, and a later edit reaches no pod before the next one', async () => {
    const name = await deployed()
    await post(`/apps/${name}/secrets/set`, { key: 'PASSWORD', value: 'first' })
    expect((await post(`/apps/${name}/deploy`)).body.pending).to.deep.equal([])
    expect(await frozen(name)).to.deep.equal({ PASSWORD: 'first' })
    await post(`/apps/${name}/secrets/set`, { key: 'PASSWORD', value: 'second' })
    expect(await frozen(name)).to.deep.equal({ PASSWORD: 'first' })
    expect(pendingChangesOf(await record(name))).to.deep.equal(['variables'])
    await post(`/apps/${name}/deploy`)
    expect(await frozen(name)).to.deep.equal({ PASSWORD: 'second' })
    expect((await record(name)).metadata.annotations).not.to.have.property(annotations.secretEdit)
  })

  it('a secret edited during a deploy is either deployed or waits, and never lost', async () => {
    const name = await deployed()
    for (let round = 0; round < 10; round += 1) {
      const value = `value-${round}`
      const [edit, deploy] = await Promise.all([
        post(`/apps/${name}/secrets/set`, { key: 'S', value }),
        post(`/apps/${name}/deploy`, {}, other),
      ])
      expect([edit.status, deploy.status], edit.text + deploy.text).to.deep.equal([200, 200])
      const app = await record(name)
      if ((await frozen(name))['S'] !== value)
        expect(pendingChangesOf(app), `round ${round}`).to.deep.equal(['variables'])
    }
    await post(`/apps/${name}/deploy`)
    expect(await frozen(name)).to.deep.equal({ S: 'value-9' })
    expect(pendingChangesOf(await record(name))).to.deep.equal([])
  })

  it('secrets edited at once through two processes lose nothing', async () => {
    const name = await deployed()
    const keys = Array.from({ length: 8 }, (_, index) => `KEY_${index}`)
    await Promise.all(
      keys.map((key, index) => post(`/apps/${name}/secrets/set`, { key, value: key }, index % 2 === 0 ? api : other)),
    )
    expect(Object.keys(await secret(`${name}-secrets`)).sort()).to.deep.equal(keys)
  })

  it('a secret edit whose process died halfway is still shown as a pending change', async () => {
    const name = await deployed()
    const { client } = await useStack()
    // The state that a dead writer leaves: its first mark without the closing one.
    // The worker may write between the reading and the writing.
    const leave = (mark: string) =>
      onConflict(
        perRequest,
        () => record(name),
        (app) => client.replace(resourceTypes.app, withSpec(app, app.spec, mark)),
      )
    await leave(openSecretEdit(new Date(), 'dead'))
    await eventually(
      'the mark is seen',
      async () => (await api.ask('GET', `/api/v1/apps/${name}/status`, { token })).body.pendingChanges === 1,
    )
    // A deploy at this moment cannot know which values it froze.
    expect((await post(`/apps/${name}/deploy`)).body.pending).to.deep.equal(['variables'])
    // After a minute the writer counts as dead.
    const old = openSecretEdit(new Date(Date.now() - 61_000), 'dead')
    await leave(old)
    await eventually(
      'the old mark is seen',
      () => api.needs.caches.apps.get(name, systemNamespace)?.metadata.annotations?.[annotations.secretEdit] === old,
    )
    expect((await post(`/apps/${name}/deploy`)).body.pending).to.deep.equal([])
  })

  it('GET /apps/{name}/variables tells names of secrets, values of plain ones, and keeps viewers out', async () => {
    const name = await deployed()
    await post(`/apps/${name}/config/set`, { key: 'A', value: '1' })
    await post(`/apps/${name}/secrets/set`, { key: 'S', value: 'hidden' })
    const { body, text } = await api.ask('GET', `/api/v1/apps/${name}/variables`, { token })
    expect(body).to.deep.equal({ secrets: ['S'], sharedVariableRefs: [], env: [], config: { A: '1' } })
    expect(text).not.to.include('hidden')
    const viewer = await api.token({ name: 'v', role: 'viewer' })
    expect((await api.ask('GET', `/api/v1/apps/${name}/variables`, { token: viewer })).status).to.equal(403)
  })

  it('POST /api/apps/{app}/attach refers to the connection secret, and POST /api/apps/{app}/env/delete takes it back', async () => {
    const name = await deployed()
    await makeDatabase('orders', project)
    await eventually(
      'the database is seen',
      () => api.needs.caches.databases.get('orders', systemNamespace) !== undefined,
    )
    const { body } = await post(`/apps/${name}/attach`, { name: 'orders', kind: 'database' })
    expect(body.pending).to.deep.equal(['variables'])
    expect((await record(name)).spec.env).to.deep.equal([
      { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'orders-connection', key: 'uri' } } },
    ])
    expect((await post(`/apps/${name}/config/set`, { key: 'DATABASE_URL', value: 'x' })).body.error).to.equal(
      'DATABASE_URL is a reference variable of this service; delete it first',
    )
    expect((await post(`/apps/${name}/env/delete`, { name: 'DATABASE_URL' })).body.pending).to.deep.equal([])
    await post(`/apps/${name}/config/set`, { key: 'DATABASE_URL', value: 'x' })
    expect((await post(`/apps/${name}/attach`, { name: 'orders', kind: 'database' })).body.error).to.equal(
      'the service already has a variable named DATABASE_URL',
    )
    expect((await post(`/apps/${name}/attach`, { name: 'nothing', kind: 'object-store' })).body.error).to.equal(
      'bucket not found',
    )
  })

  it('POST /api/apps/{app}/shared-variables/save chooses, and a deploy freezes the chosen ones', async () => {
    const name = await deployed()
    const save = (fields: object) => post(`/projects/${project}/variables/save`, fields)
    await save({ name: 'REGION', value: 'eu' })
    await save({ name: 'REGION', environment: 'production', value: 'eu-west' })
    await save({ name: 'API_KEY', value: 'k-1', secret: true })
    await post(`/apps/${name}/deploy`)
    expect(await frozen(name)).to.deep.equal({ REGION: 'eu-west', API_KEY: 'k-1' })
    const { body } = await post(`/apps/${name}/shared-variables/save`, { sharedVariable: ['REGION'] })
    expect(body.pending).to.deep.equal(['variables'])
    await post(`/apps/${name}/deploy`)
    expect(await frozen(name)).to.deep.equal({ REGION: 'eu-west' })
  })
})

async function makeDatabase(name: string, project: string): Promise<void> {
  const { client } = await useStack()
  const spec = databaseSpec.parse({ project, environment: 'production', engine: 'postgres' })
  const { kind } = resourceTypes.database
  await client.create(resourceTypes.database, {
    apiVersion,
    kind,
    metadata: { name, namespace: systemNamespace },
    spec,
  } as KubeObject)
}
