/** Outgoing webhooks over HTTP: saved, changed, rotated, tested, deleted, and which callers see them. */
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { useStack } from '../harness/stack.ts'
import { mortalClient } from '../kill/mortal-client.ts'
import { startReceiver, type TestReceiver } from '../outside/webhooks/receiver.ts'
import { forgetRecords } from '../harness/forget-records.ts'
import { startTestApi, type TestApi } from './test-api.ts'

const secretPattern = /^whsec_[A-Za-z0-9+/]{43}=$/

describe('Webhooks', () => {
  let api: TestApi
  let strict: TestApi
  let receiver: TestReceiver
  let client: ClusterClient
  let token: string

  before(async function () {
    this.timeout(60_000)
    ;({ client } = await useStack())
    ;[api, strict, receiver] = await Promise.all([
      startTestApi({ env: { SVC_WEBHOOK_PRIVATE: '1' } }),
      startTestApi(),
      startReceiver(),
    ])
    token = await api.token({ name: 'webhooks', role: 'admin' })
  })
  after(async () => {
    await Promise.all([api.stop(), strict.stop(), receiver.stop()])
    await forgetRecords()
  })

  const create = async (): Promise<string> =>
    (await api.ask('POST', '/api/v1/projects', { token, json: {} })).body.project
  const post = (project: string, verb: string, json: object, at = api) =>
    at.ask('POST', `/api/v1/projects/${project}/webhooks/${verb}`, { token, json })
  const stored = async (name: string): Promise<Project['spec']['webhooks']> =>
    (await client.get<Project>({ type: resourceTypes.project, namespace: systemNamespace, name }))?.spec.webhooks ?? []
  const secretsOf = async (project: string): Promise<string[]> => {
    const labelSelector = `${labels.purpose}=webhook,${labels.project}=${project}`
    const { items } = await client.list<KubeObject & { data?: Record<string, string> }>(coreTypes.secret, {
      namespace: systemNamespace,
      labelSelector,
    })
    return items.map((item) => Buffer.from(item.data?.['secret'] ?? '', 'base64').toString())
  }
  const url = 'https://93.184.215.14/hook'

  it('POST /api/projects/{p}/webhooks/save creates one, and shows its secret this once', async () => {
    const project = await create()
    const answer = await post(project, 'save', { url, event: ['deployment.failed', 'deployment.started'] })
    expect(answer.status).to.equal(200)
    expect(answer.body).to.have.all.keys('ok', 'id', 'secret')
    expect(answer.body.secret).to.match(secretPattern)
    const [hook] = await stored(project)
    expect(hook).to.deep.include({
      id: answer.body.id,
      url,
      events: ['deployment.started', 'deployment.failed'],
      disabled: false,
    })
    expect(await secretsOf(project)).to.deep.equal([answer.body.secret])
    const read = await api.ask('GET', `/api/v1/projects/${project}`, { token })
    expect(read.body.spec.webhooks).to.deep.equal([hook])
    const seen = JSON.stringify([
      read.body,
      (await api.ask('GET', '/api/v1/bootstrap', { token })).body,
      api.logLines(),
    ])
    expect(seen).not.to.include(answer.body.secret)
  })

  it('POST /api/projects/{p}/webhooks/save takes the form of the dashboard', async () => {
    const project = await create()
    const cookie = await api.signIn('admin')
    const save = (form: Record<string, string | string[]>) =>
      api.ask('POST', `/api/projects/${project}/webhooks/save`, { cookie, form })
    const { body } = await save({ id: '', url, event: ['deployment.succeeded', 'deployment.failed'], disabled: 'on' })
    expect((await stored(project))[0]).to.deep.include({
      id: body.id,
      events: ['deployment.succeeded', 'deployment.failed'],
      disabled: true,
    })
    expect((await save({ id: body.id, disabled: 'off' })).body).to.deep.equal({ ok: true, id: body.id })
    expect((await stored(project))[0]).to.deep.include({
      url,
      events: ['deployment.succeeded', 'deployment.failed'],
      disabled: false,
    })
  })

  it('backup.failed is sent only where it is named, beside all three of deploys, too', async () => {
    const project = await create()
    const { id } = (await post(project, 'save', { url, event: 'backup.failed' })).body
    expect((await stored(project))[0]?.events).to.deep.equal(['backup.failed'])
    const all = ['backup.failed', 'deployment.failed', 'deployment.started', 'deployment.succeeded']
    await post(project, 'save', { id, event: all })
    expect((await stored(project))[0]?.events.toSorted()).to.deep.equal(all)
  })

  it('no event or all three means every event of deploys', async () => {
    const project = await create()
    await post(project, 'save', { url })
    const { body } = await post(project, 'save', {
      url,
      event: ['deployment.failed', 'deployment.started', 'deployment.succeeded'],
    })
    expect((await stored(project)).map(({ events }) => events)).to.deep.equal([[], []])
    await post(project, 'save', { id: body.id, event: 'deployment.failed' })
    expect((await stored(project))[1]?.events).to.deep.equal(['deployment.failed'])
    await post(project, 'save', { id: body.id, event: '' })
    expect((await stored(project))[1]?.events).to.deep.equal([])
  })

  it('an update keeps what it does not name, and answers without a secret', async () => {
    const project = await create()
    const { id, secret } = (await post(project, 'save', { url, event: 'deployment.failed' })).body
    const before = (await stored(project))[0]?.since ?? ''
    expect((await post(project, 'save', { id, url: `${url}/2`, disabled: true })).body).to.deep.equal({ ok: true, id })
    expect((await stored(project))[0]).to.deep.equal({
      id,
      url: `${url}/2`,
      events: ['deployment.failed'],
      disabled: true,
      since: before,
    })
    expect(await secretsOf(project)).to.deep.equal([secret])
    await post(project, 'save', { id, disabled: 'off' })
    expect(((await stored(project))[0]?.since ?? '') > before, 'enabled anew').to.equal(true)
  })

  it('refuses what cannot be one, and writes nothing then', async () => {
    const project = await create()
    const refused: readonly (readonly [object, string])[] = [
      [{}, 'url is required'],
      [{ url: 'ftp://example.com/' }, 'url must be http or https'],
      [{ url: 'http://localhost:3000/' }, 'url must not be localhost'],
      [{ url: 'http://127.0.0.1/' }, 'url must not be a private address'],
      [{ url: 'http://2130706433/' }, 'url must not be a private address'],
      [{ url: 'http://[::ffff:10.0.0.1]/' }, 'url must not be a private address'],
      [{ url: 'http://169.254.169.254/' }, 'url must not be a private address'],
      [{ url: `${url}/${'x'.repeat(2048)}` }, 'url must be at most 2048 characters'],
      [
        { url, event: 'deployment.paused' },
        'event must be deployment.started, deployment.succeeded, deployment.failed, or backup.failed',
      ],
      [{ url, disabled: 'perhaps' }, 'disabled must be on or off'],
    ]
    for (const [json, error] of refused) {
      const answer = await post(project, 'save', json, strict)
      expect([answer.status, answer.body], JSON.stringify(json)).to.deep.equal([
        400,
        { error, code: 'invalid_request' },
      ])
    }
    expect((await post(project, 'save', { url: 'http://169.254.169.254/' })).body.error, 'allowed or not').to.equal(
      'url must not be a private address',
    )
    expect([await stored(project), await secretsOf(project)]).to.deep.equal([[], []])
  })

  it('says 404 of a webhook or a project that is not there', async () => {
    const project = await create()
    for (const verb of ['save', 'delete', 'rotate', 'test']) {
      expect((await post(project, verb, { id: 'none', url })).body, verb).to.deep.equal({
        error: 'webhook not found',
        code: 'not_found',
      })
      expect((await post('proj-00000000', verb, { id: 'none', url })).body, verb).to.deep.equal({
        error: 'project not found',
        code: 'not_found',
      })
      if (verb !== 'save') expect((await post(project, verb, {})).body.error, verb).to.equal('id is required')
    }
    const plain = await api.ask('POST', `/api/projects/${project}/webhooks/rotate`, { token, form: { id: 'none' } })
    expect([plain.status, plain.text]).to.deep.equal([404, '404 page not found'])
  })

  it('a project has at most 20', async () => {
    const project = await create()
    const answers = []
    for (let count = 0; count < 18; count += 1) answers.push(await post(project, 'save', { url }))
    // Of eight requests at once through two processes, two are accepted.
    answers.push(
      ...(await Promise.all(
        Array.from({ length: 8 }, (_, index) => post(project, 'save', { url }, index % 2 === 0 ? api : strict)),
      )),
    )
    expect(answers.filter(({ status }) => status === 200)).to.have.length(20)
    for (const { status, body } of answers)
      if (status !== 200)
        expect(body).to.deep.equal({ error: 'a project can have at most 20 webhooks', code: 'invalid_request' })
    expect(await stored(project)).to.have.length(20)
    expect(await secretsOf(project)).to.have.length(20)
    expect((await post(project, 'save', { id: answers[0]?.body.id, disabled: true })).status).to.equal(200)
  })

  it('POST /api/projects/{p}/webhooks/delete removes it with its secret', async () => {
    const project = await create()
    const { id } = (await post(project, 'save', { url })).body
    const kept = (await post(project, 'save', { url })).body
    expect((await post(project, 'delete', { id })).body).to.deep.equal({ ok: true })
    expect((await stored(project)).map((hook) => hook.id)).to.deep.equal([kept.id])
    expect(await secretsOf(project)).to.deep.equal([kept.secret])
  })

  it('POST /api/projects/{p}/webhooks/rotate replaces the secret, which signs from then on', async () => {
    const project = await create()
    const { id, secret } = (await post(project, 'save', { url: receiver.url })).body
    const { body } = await post(project, 'rotate', { id })
    expect(body).to.deep.equal({ ok: true, id, secret: body.secret })
    expect(body.secret).to.match(secretPattern).and.not.equal(secret)
    expect(await secretsOf(project)).to.deep.equal([body.secret])
    expect((await post(project, 'test', { id })).body.ok).to.equal(true)
    const got = receiver.received.at(-1)
    const headers = got?.headers as Record<string, string> // every header occurs once
    expect(() => new Webhook(secret).verify(got?.body ?? '', headers)).to.throw('No matching signature')
    expect(new Webhook(body.secret).verify(got?.body ?? '', headers)).to.be.an('object')
  })

  it('POST /api/projects/{p}/webhooks/test sends one signed delivery and tells how it went, also of a disabled one', async () => {
    const project = await create()
    const { id, secret } = (await post(project, 'save', { url: receiver.url, disabled: true })).body
    receiver.answer((response) => response.writeHead(202).end())
    const { status, body } = await post(project, 'test', { id })
    const got = receiver.received.at(-1)
    expect(status).to.equal(200)
    expect(body).to.deep.equal({
      ok: true,
      delivery: { id: got?.id, event: 'webhook.test', at: body.delivery.at, status: 202 },
    })
    expect(new Webhook(secret).verify(got?.body ?? '', got?.headers as Record<string, string>)).to.deep.equal({
      type: 'webhook.test',
      timestamp: body.delivery.at,
      data: { project, webhook: id },
    })
    receiver.answer((response) => response.writeHead(500).end('an inner secret'))
    const failed = await post(project, 'test', { id })
    expect(failed.status).to.equal(200)
    expect(failed.body).to.deep.include({ ok: false })
    expect(failed.body.delivery).to.deep.include({ status: 500, error: 'the receiver answered 500' })
    expect(failed.text).not.to.include('inner secret')
    const forbidden = await post(project, 'test', { id }, strict)
    expect(forbidden.body.delivery).to.deep.include({ error: 'the address is not allowed' })
    expect(forbidden.body.ok).to.equal(false)
  })

  it('is hidden from viewers, address included', async () => {
    const project = await create()
    await post(project, 'save', { url: 'https://93.184.215.14/a-path-that-is-a-secret' })
    for (const role of ['viewer', 'observer']) {
      const reader = await api.token({ name: role, role })
      const read = await api.ask('GET', `/api/v1/projects/${project}`, { token: reader })
      expect(read.body.spec.webhooks, role).to.deep.equal([])
      expect(read.text + (await api.ask('GET', '/api/v1/bootstrap', { token: reader })).text, role).not.to.include(
        'a-path-that-is-a-secret',
      )
      const refused = await api.ask('POST', `/api/v1/projects/${project}/webhooks/save`, {
        token: reader,
        json: { url },
      })
      expect([refused.status, refused.body.error], role).to.deep.equal([403, 'viewer role cannot access this'])
    }
  })

  it('If-Match of another version refuses, and leaves no secret behind', async () => {
    const project = await create()
    const answer = await api.ask('POST', `/api/v1/projects/${project}/webhooks/save`, {
      token,
      json: { url },
      headers: { 'if-match': '"1"' },
    })
    expect(answer.status).to.equal(400)
    expect([await stored(project), await secretsOf(project)]).to.deep.equal([[], []])
  })
})

/**
 * The state that is left when the process dies between the Secret and the record; test/workflows/webhooks.test.ts tests
 * the sweep.
 */
describe('A webhook whose save dies half-way', () => {
  it('is not there, and saving it again makes it whole', async function () {
    this.timeout(60_000)
    const { client } = await useStack()
    class Died extends Error {}
    const mortal = mortalClient(client, () => {
      throw new Died()
    })
    const [dying, next] = await Promise.all([startTestApi({ client: mortal.client }), startTestApi()])
    const token = await next.token({ name: 'dying', role: 'admin' })
    const project = (await next.ask('POST', '/api/v1/projects', { token, json: {} })).body.project
    const save = (api: TestApi) =>
      api.ask('POST', `/api/v1/projects/${project}/webhooks/save`, { token, json: { url: 'https://93.184.215.14/' } })
    mortal.arm({ when: 'before', write: 2, about: project })
    expect((await save(dying)).status).to.equal(500)
    const read = await next.ask('GET', `/api/v1/projects/${project}`, { token })
    expect(read.body.spec.webhooks).to.deep.equal([])
    const { body } = await save(next)
    expect(body.secret).to.match(secretPattern)
    await Promise.all([dying.stop(), next.stop()])
    await forgetRecords()
  })
})
