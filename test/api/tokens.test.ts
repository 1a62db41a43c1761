/** API tokens: their value is shown once, stored as a digest, limited to their scope, and revoked at once. */
import { expect } from 'chai'
import { connectCluster, type ClusterClient } from '../../cluster/client.ts'
import { ClusterError, noAnswer } from '../../cluster/objects/errors.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type TestApi } from './test-api.ts'

const project = 'proj-0a0a0a0a'

describe('API tokens', () => {
  let api: TestApi
  let other: TestApi
  let cookie: string
  let now = Date.now()

  before(async function () {
    this.timeout(60_000)
    const { client } = await useStack()
    await makeProject(client)
    api = await startTestApi({ clock: () => now })
    other = await startTestApi()
    cookie = await api.signIn('admin')
  })
  beforeEach(() => {
    now = Date.now()
  })
  after(async () => {
    await Promise.all([api.stop(), other.stop()])
    await (await useStack()).client.delete({ type: resourceTypes.project, namespace: systemNamespace, name: project })
  })

  const create = (json: object) => api.ask('POST', '/api/v1/tokens', { cookie, json })
  const me = (token: string, at = api) => at.ask('GET', '/api/v1/me', { token })

  it('POST /api/v1/tokens shows one once, it works at once on every replica, and GET /api/tokens lists it without its value', async () => {
    const { body } = await create({ name: 'ci', role: 'observer', expiresInDays: 30 })
    expect(body.token).to.match(/^svw_[0-9a-z]{12}_[0-9A-Za-z]{43}$/)
    expect(body.item).to.include({
      name: 'ci',
      scope: 'workspace',
      role: 'observer',
      createdBy: 'admin',
      lastUsedAt: null,
      expired: false,
    })
    expect(body.item, 'the place of a workspace token').to.include({ project: '', environment: '' })
    expect(Date.parse(body.item.expiresAt) - now).to.be.closeTo(30 * 86_400_000, 5000)
    for (const each of [api, other]) {
      expect((await me(body.token, each)).body).to.deep.equal({
        username: 'ci',
        role: 'observer',
        canMutate: false,
        canReadSensitive: true,
        authentication: 'token',
        scope: 'workspace',
        expiresAt: body.item.expiresAt,
      })
    }
    const { body: listed } = await api.ask('GET', '/api/tokens', { cookie })
    expect(listed.items[0].id).to.equal(body.item.id)
    expect(JSON.stringify(listed)).not.to.include(body.token.split('_')[2])
  })

  it('are kept as a digest only', async () => {
    const { body } = await create({ name: 'kept' })
    const { client } = await useStack()
    const secret = await client.get({
      type: coreTypes.secret,
      namespace: systemNamespace,
      name: `svc-token-${body.item.id}`,
    })
    const text = JSON.stringify(secret).replace(
      /"([\w+/]+=*)"/g,
      (whole, value: string) => whole + Buffer.from(value, 'base64').toString(),
    )
    expect(text).to.include(body.item.id).and.not.include(body.token.split('_')[2])
    expect(JSON.stringify(api.logLines())).not.to.include(body.token.split('_')[2])
  })

  it('are viewers without expiry by default', async () => {
    expect((await create({})).body.item).to.include({
      role: 'viewer',
      scope: 'workspace',
      expiresAt: null,
      name: 'API token',
    })
  })

  it('leave an audit line of who made and revoked them', async () => {
    const made = await create({ name: 'audited' })
    const { id } = made.body.item
    await api.ask('DELETE', `/api/v1/tokens/${id}`, { cookie })
    await api.ask('DELETE', `/api/v1/tokens/${id}`, { cookie })
    const lines = api.logLines().filter(({ audit }) => audit === true)
    expect(lines.find(({ requestId }) => requestId === made.headers.get('x-request-id'))).to.deep.include({
      actor: 'admin',
      operation: 'tokens.create',
      resource: { id, name: 'audited', scope: 'workspace' },
      result: 'done',
      status: 200,
    })
    const revoked = lines.filter(
      ({ operation, resource }) => operation === 'tokens.revoke' && (resource as { id: string }).id === id,
    )
    expect(revoked.map(({ result }) => result)).to.deep.equal(['done', 'refused'])
  })

  it('may not be made for a place that is not there', async () => {
    expect(
      (await create({ scope: 'project', project: 'proj-ffffffff', environment: 'production' })).body.error,
    ).to.equal('project was not found')
    expect((await create({ scope: 'project', project, environment: 'staging' })).body.error).to.equal(
      'the project has no such environment',
    )
  })

  it('are managed by a signed-in admin only, never with a token', async () => {
    const { body } = await create({ role: 'admin' })
    const viewer = await api.signIn('viewer')
    for (const [asked, refusal] of [
      [{ token: body.token }, 'this token cannot access that endpoint'],
      [{ cookie: viewer }, 'viewer role cannot access this'],
    ] as const) {
      for (const [method, path] of [
        ['GET', '/api/v1/tokens'],
        ['POST', '/api/v1/tokens'],
        ['DELETE', '/api/v1/tokens/x'],
        ['POST', '/api/v1/auth/device/approve'],
        ['GET', '/api/v1/auth/device/x'],
      ] as const) {
        expect((await api.ask(method, path, asked)).body, `${method} ${path}`).to.deep.equal({
          error: refusal,
          code: 'forbidden',
        })
      }
    }
  })

  it('DELETE /api/v1/tokens/{id} and POST /api/tokens/revoke stop one, at once where it was done and within a moment elsewhere', async () => {
    const { body } = await create({ name: 'short' })
    expect((await me(body.token, other)).status).to.equal(200)
    expect((await api.ask('DELETE', `/api/v1/tokens/${body.item.id}`, { cookie })).body).to.deep.equal({ ok: true })
    expect((await me(body.token)).body.error).to.equal('invalid or expired API token')
    await eventually('the other replica refuses it', async () => (await me(body.token, other)).status === 401)
    const again = await api.ask('POST', '/api/tokens/revoke', { cookie, form: { id: body.item.id } })
    expect([again.status, again.body]).to.deep.equal([404, { error: 'token was not found' }])
    for (const id of ['..%2Fx', '%00', 'x'.repeat(300)]) {
      const none = await api.ask('DELETE', `/api/v1/tokens/${id}`, { cookie })
      expect([none.status, none.body]).to.deep.equal([404, { error: 'token was not found', code: 'not_found' }])
    }
  })

  it('stop working when they expire', async () => {
    const { body } = await create({ expiresInDays: 1 })
    now += 86_400_000 - 5000
    expect((await me(body.token)).status).to.equal(200)
    now += 6000
    expect((await me(body.token)).status).to.equal(401)
    const { body: listed } = await api.ask('GET', '/api/tokens', { cookie: await api.signIn('admin') })
    expect(listed.items.find(({ id }: { id: string }) => id === body.item.id)).to.include({ expired: true })
  })

  it('do not work with another secret or another prefix', async () => {
    const { body } = await create({})
    const [, id, secret] = body.token.split('_')
    for (const bad of [`svw_${id}_${'a'.repeat(43)}`, `svp_${id}_${secret}`, `svw_${id}_${secret}x`, `svw_${id}`, '']) {
      expect((await me(bad)).status, bad).to.equal(401)
    }
  })

  it('note their last use at most once a minute', async () => {
    const { body } = await create({})
    const { client } = await useStack()
    const used = async () =>
      (await client.get({ type: coreTypes.secret, namespace: systemNamespace, name: `svc-token-${body.item.id}` }))
        ?.metadata
    await me(body.token)
    await eventually(
      'the use is noted',
      async () => (await used())?.annotations?.['svc.dev/last-used-at'] !== undefined,
    )
    const first = await used()
    for (let n = 0; n < 5; n += 1) await me(body.token)
    expect((await used())?.resourceVersion).to.equal(first?.resourceVersion)
    now += 61_000
    await me(body.token)
    await eventually('the use is noted again', async () => (await used())?.resourceVersion !== first?.resourceVersion)
    expect((await api.ask('GET', '/api/token', { token: body.token })).body.lastUsedAt).to.be.a('string')
  })

  describe('of a project', () => {
    let token: string
    before(async () => {
      token = (await create({ name: 'deployer', scope: 'project', project, environment: 'production' })).body.token
    })

    it('know where they belong: GET /api/token, GET /api/v1/token/services', async () => {
      expect(token).to.match(/^svp_/)
      expect((await me(token)).body).to.include({
        role: 'project',
        scope: 'project',
        project,
        environment: 'production',
        canMutate: true,
      })
      expect((await api.ask('GET', '/api/token', { token })).body).to.include({
        name: 'deployer',
        project,
        environment: 'production',
      })
      expect((await api.ask('GET', '/api/v1/token/services', { token })).body).to.deep.equal({
        project,
        environment: 'production',
        services: [],
      })
    })

    for (const [method, path] of [
      ['GET', '/api/v1/openapi.json'],
      ['GET', '/api/v1/events'],
      ['GET', '/api/v1/tokens'],
      ['POST', '/api/v1/tokens'],
      ['GET', '/api/v1/projects'],
      ['GET', '/api/v1/databases'],
      ['GET', '/api/v1/nodes'],
      ['GET', '/api/v1/usage'],
      ['GET', '/api/events'],
      ['GET', '/api/bootstrap'],
      ['POST', '/api/tokens/create'],
      ['POST', '/api/v1/nothing'],
      ['PUT', '/api/v1/nodes/x'],
    ] as const) {
      it(`cannot reach ${method} ${path}`, async () => {
        const answer = await api.ask(method, path, { token })
        expect([answer.status, answer.body.error]).to.deep.equal([403, 'this token cannot access that endpoint'])
      })
    }

    it('may not name another project or environment', async () => {
      for (const query of ['project=proj-ffffffff', 'environment=staging', `project=${project}&environment=staging`]) {
        const answer = await api.ask('GET', `/api/v1/token/services?${query}`, { token })
        expect([answer.status, answer.body.code], query).to.deep.equal([403, 'forbidden'])
      }
      expect(
        (await api.ask('GET', `/api/v1/token/services?project=${project}&environment=production`, { token })).status,
      ).to.equal(200)
    })

    it('must send forms to dashboard routes, and may send JSON to versioned ones', async () => {
      const dashboard = await api.ask('POST', '/api/apps/none/scale', { token, json: { replicas: 1 } })
      expect([dashboard.status, dashboard.body]).to.deep.equal([415, { error: 'send form-encoded data' }])
      const v1 = await api.ask('POST', '/api/v1/apps/none/scale', { token, json: { replicas: 1 } })
      expect([v1.status, v1.body]).to.deep.equal([404, { error: 'app not found', code: 'not_found' }])
      const form = await api.ask('POST', '/api/apps/none/scale', { token, form: { replicas: '1' } })
      expect([form.status, form.body ?? form.text]).to.deep.equal([404, { error: 'app not found' }])
    })

    it('cannot set what only a signed-in admin may', async () => {
      const answer = await api.ask('PATCH', '/api/v1/apps/none', { token, json: { runOnTags: ['gpu'] } })
      expect([answer.status, answer.body.code]).to.deep.equal([403, 'forbidden'])
    })

    it('go with their project', async () => {
      const { body } = await create({ scope: 'project', project, environment: 'production' })
      expect(await api.needs.tokens.revokeOfProject(project)).to.be.greaterThan(1)
      expect((await me(body.token)).status).to.equal(401)
      expect((await me(token)).status).to.equal(401)
    })
  })
})

describe('API tokens while the watch of the cluster is down', () => {
  it('work for five seconds more and are refused after that, without being called wrong', async function () {
    this.timeout(60_000)
    const { kubeconfig } = await useStack()
    const real = connectCluster({ kubeconfig })
    const link = { cut: false }
    let now = Date.now()
    const api = await startTestApi({ client: cuttable(real, link), clock: () => now })
    const token = await api.token({ name: 'cut', role: 'viewer' })
    const status = async () => (await api.ask('GET', '/api/v1/version', { token })).status
    expect(await status()).to.equal(200)
    link.cut = true
    now += 4000
    expect(await status(), 'confirmed less than five seconds ago').to.equal(200)
    now += 2000
    await eventually('the silence is noticed', async () => (await status()) === 502, 15_000)
    const said = async (method: string, path: string) => (await api.ask(method, path, { token })).body.error
    expect(await said('GET', '/api/v1/version')).to.equal('could not load the resources')
    expect(await said('GET', '/api/usage')).to.equal('could not load dashboard')
    expect(await said('POST', '/api/v1/apps/none/deploy')).to.equal('could not complete the request')
    link.cut = false
    expect(await status()).to.equal(200)
    await api.stop()
    await real.close()
  })
})

/** The same client; while the link is cut, its single reads fail and its watch is silent. */
function cuttable(client: ClusterClient, link: { cut: boolean }): ClusterClient {
  return {
    ...client,
    get: async (ref, options) => {
      if (link.cut) throw new ClusterError(0, noAnswer.unreachable, 'the link is cut')
      return client.get(ref, options)
    },
  }
}

async function makeProject(client: ClusterClient): Promise<void> {
  await client.create<Project>(resourceTypes.project, {
    apiVersion,
    kind: 'SvcProject',
    metadata: { name: project, namespace: systemNamespace },
    // The cluster fills in the defaults.
    spec: { displayName: 'calm otter', environments: ['production'] } as Project['spec'],
  })
}
