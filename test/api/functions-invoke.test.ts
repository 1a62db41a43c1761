/** Functions that are called through svc, where they run: what they get, and what of their answers comes back. */
import { randomUUID } from 'node:crypto'
import type { V1Deployment } from '@kubernetes/client-node'
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { startReceiver, type TestReceiver } from '../outside/webhooks/receiver.ts'
import { type Answer, type Asked, startTestApi, type TestApi } from './test-api.ts'

const mebibyte = 1024 * 1024

describe('POST /api/apps/{app}/invoke', function () {
  this.timeout(60_000)
  let api: TestApi
  let client: ClusterClient
  let copies: TestReceiver
  let token: string
  let project: string
  let fn: string
  let namespace: string

  before(async () => {
    ;({ client } = await useStack())
    copies = await startReceiver('')
    api = await startTestApi({ env: { SVC_FUNCTION_ENDPOINT: `127.0.0.1:${copies.port}` } })
    token = await api.token({ role: 'admin' })
    project = (await api.ask('POST', '/api/v1/projects', { token, json: {} })).body.project
    fn = await create({ source: 'function', runtime: 'node', code: 'export default 1', deploy: true })
    namespace = targetNamespace(recordOf(fn).spec)
    await client.create(coreTypes.namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    await serve(fn, recordOf(fn).metadata.uid ?? '')
    await run(fn, 1)
  })
  after(async () => {
    await Promise.all([api.stop(), copies.stop()])
    await client.delete({ type: coreTypes.namespace, name: namespace })
  })
  beforeEach(() => {
    copies.received.length = 0
    copies.answer((response) => void response.writeHead(204).end())
  })

  const recordOf = (name: string): App => api.needs.caches.apps.get(name, systemNamespace) as App // create waits for it
  const create = async (fields: object): Promise<string> => {
    const json = { project, environment: 'production', ...fields }
    const { body, text, status } = await api.ask('POST', '/api/v1/apps', { token, json })
    expect(status, text).to.equal(200)
    await eventually('the api knows it', () => recordOf(body.name) !== undefined)
    return body.name
  }
  /** The Service that the worker would make. */
  const serve = (name: string, owner: string): Promise<KubeObject> =>
    client.create<KubeObject & { spec: object }>(coreTypes.service, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace, labels: { [labels.owner]: owner } },
      spec: { ports: [{ port: 80 }] },
    })
  /** The Deployment that the worker would make; resolves once its copies are ready. */
  const run = async (name: string, replicas: number): Promise<void> => {
    const named = { app: name }
    const template = { metadata: { labels: named }, spec: { containers: [{ name: 'app', image: 'svc/hello:1' }] } }
    await client.create<KubeObject & { spec: object }>(coreTypes.deployment, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace },
      spec: { replicas, selector: { matchLabels: named }, template },
    })
    const ref = { type: coreTypes.deployment, namespace, name }
    const ready = async () => (await client.get<Sent<V1Deployment>>(ref))?.status?.readyReplicas ?? 0
    await eventually('its copies are ready', async () => (await ready()) === replicas)
  }
  const invoke = (json: object = {}, { name = fn, ...asked }: Asked & { name?: string } = {}): Promise<Answer> =>
    api.ask('POST', `/api/v1/apps/${name}/invoke`, { token, json, ...asked })

  it('sends the request to the function, and answers what it said, errors and redirects too', async () => {
    copies.answer(
      (response) =>
        void response
          .writeHead(422, { 'content-type': 'application/problem+json', 'set-cookie': 'a=b', 'x-inner': 'secret' })
          .end('{"no":"such job"}'),
    )
    const answer = await invoke({ method: 'PUT', path: '/jobs?all=1', data: '{"day":"größer"}' })
    expect([answer.status, answer.body]).to.deep.equal([
      200,
      { status: 422, contentType: 'application/problem+json', body: '{"no":"such job"}', truncated: false },
    ])
    expect([answer.headers.get('set-cookie'), answer.headers.get('x-inner')]).to.deep.equal([null, null])
    const [got] = copies.received
    expect(got).to.deep.include({ method: 'PUT', path: '/jobs?all=1', body: '{"day":"größer"}' })
    expect(got?.headers).to.deep.include({ host: `${fn}.${namespace}.svc`, 'content-type': 'application/json' })
    expect(got?.headers, 'the token stays with svc').not.to.have.any.keys('authorization', 'cookie')
    copies.answer((response) => void response.writeHead(307, { location: copies.url }).end())
    expect((await invoke({ data: 'plain' })).body.status).to.equal(307)
    expect(copies.received).to.have.length(2)
    expect(copies.received[1]?.headers['content-type']).to.equal('text/plain; charset=utf-8')
    expect((await invoke()).status, 'as a POST of / without a body').to.equal(200)
    expect(copies.received[2]).to.deep.include({ method: 'POST', path: '/', body: '' })
  })

  it('reads 1 MiB of an answer and no more, and says so', async () => {
    copies.answer((response) => void response.writeHead(200).end('x'.repeat(2 * mebibyte)))
    const { body } = await invoke()
    expect([body.body.length, body.truncated]).to.deep.equal([mebibyte, true])
  })

  it('says in a sentence that there was no answer', async () => {
    copies.answer((response) => void response.destroy())
    const { status, body } = await invoke()
    expect(status).to.equal(400)
    expect(body.error).to.match(/^the function could not be reached: /)
  })

  it('refuses what is no function, a draft, a Service that is not of this function, and one without a ready copy', async () => {
    const image = await create({ image: 'svc/hello:1', deploy: true })
    const draft = await create({ source: 'function', runtime: 'node', code: 'export default 1' })
    const unready = await create({ source: 'function', runtime: 'node', code: 'export default 1', deploy: true })
    const foreign = await create({ source: 'function', runtime: 'node', code: 'export default 1', deploy: true })
    const starting = await create({ source: 'function', runtime: 'node', code: 'export default 1', deploy: true })
    await serve(foreign, randomUUID())
    await serve(starting, recordOf(starting).metadata.uid ?? '')
    await run(starting, 0)
    const rows = [
      [image, `${image} is not a function`],
      [draft, 'deploy the function before you call it'],
      [unready, 'the function has no address in the cluster yet'],
      [foreign, 'the function has no address in the cluster yet'],
      [starting, 'no copy of the function is ready'],
    ] as const
    for (const [name, error] of rows) {
      const { status, body } = await invoke({}, { name })
      expect([status, body.error]).to.deep.equal([400, error])
    }
    expect((await invoke({}, { name: 'none' })).status).to.equal(404)
    expect((await invoke({ path: '/a\r\nx: y' })).body.error).to.equal('path must start with / and be percent-encoded')
    expect(copies.received).to.deep.equal([])
  })

  it('is for those who may change things: not for observers and viewers, nor for tokens of elsewhere', async () => {
    for (const role of ['observer', 'viewer'])
      expect((await invoke({}, { token: await api.token({ role }) })).status, role).to.equal(403)
    const place = { scope: 'project', project, environment: 'production' }
    expect((await invoke({}, { token: await api.token(place) })).status).to.equal(200)
    const other = (await api.ask('POST', '/api/v1/projects', { token, json: {} })).body.project
    const elsewhere = await api.token({ ...place, project: other })
    expect((await invoke({}, { token: elsewhere })).status).to.equal(404)
    expect(copies.received).to.have.length(1)
  })

  it('lets a caller run ten at once, and logs who called with which method, never path or data', async () => {
    const held: (() => void)[] = []
    copies.answer((response) => void held.push(() => response.writeHead(204).end()))
    const open = Array.from({ length: 10 }, () => invoke({ path: '/hidden-path', data: 'hidden-data' }))
    await eventually('they are under way', () => held.length === 10)
    const refused = await invoke()
    expect([refused.status, refused.body.error]).to.deep.equal([429, 'a caller may run 10 calls of functions at once'])
    for (const end of held) end()
    for (const answer of await Promise.all(open)) expect(answer.status).to.equal(200)
    copies.answer((response) => void response.writeHead(204).end())
    expect((await invoke()).status, 'afterwards').to.equal(200)
    const said = JSON.stringify(api.logLines())
    expect(said).to.include('"operation":"apps.invoke"')
    for (const hidden of ['hidden-path', 'hidden-data']) expect(said).not.to.include(hidden)
  })
})
