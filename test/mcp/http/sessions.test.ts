/** Agents over HTTP: each request with its own token, and sessions that end with it. */
import { expect } from 'chai'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { agentSessions } from '../../../contract/limits.ts'
import { startRecordedService, type RecordedService } from '../../client/recorded-service.ts'
import { startAgentHost, type AgentHost } from '../agent.ts'

const me = { username: 'a', role: 'admin', canMutate: true, canReadSensitive: true, authentication: 'token' }
const revoked = { status: 401, json: { error: 'invalid or expired API token', code: 'unauthenticated' } }
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

describe('agents over HTTP', function () {
  this.timeout(60_000)
  let service: RecordedService
  let host: AgentHost
  beforeEach(async () => {
    service = await startRecordedService()
    service.on('GET /me', { json: me })
    host = await startAgentHost(service.url)
  })
  afterEach(async () => {
    await host.stop()
    await service.stop()
  })

  interface Sent {
    method?: string
    path?: string
    headers?: Record<string, string>
    body?: unknown
  }
  /** One request as it is, Host included, which fetch would not send. */
  const send = async ({ method = 'POST', path = '/mcp', headers = {}, body = initialize }: Sent = {}) => {
    const request = httpRequest({
      host: '127.0.0.1',
      port: host.url.port,
      method,
      path,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: 'Bearer svw_a_b',
        ...headers,
      },
    })
    request.end(method === 'POST' ? JSON.stringify(body) : undefined)
    const [response] = await once(request, 'response')
    response.resume()
    return { status: response.statusCode, headers: response.headers }
  }

  it('says where it listens, and warns of an address that others reach', async () => {
    expect(host.notes).to.deep.equal([`listening on ${host.url.href}; each agent sends its own token`])
    const open = await startAgentHost(service.url, { address: '0.0.0.0:0' })
    await open.stop()
    expect(open.notes[1]).to.match(/^warning: other machines can reach this address/)
  })

  it('keeps a connection without a request for longer than load balancers do', async () => {
    const { headers: begun } = await send()
    // The only answer that has the header: the SDK names the connection of the others itself.
    const { status, headers } = await send({
      headers: { 'mcp-session-id': String(begun['mcp-session-id']) },
      body: { jsonrpc: '2.0', method: 'notifications/initialized' },
    })
    expect({ status, kept: headers['keep-alive'] }).to.deep.equal({ status: 202, kept: 'timeout=75' })
  })

  const refused: [string, Sent, number][] = [
    ['another host', { headers: { host: 'evil.example.com' } }, 403],
    ['a page of another site', { headers: { origin: 'http://evil.example.com' } }, 403],
    ['no token', { headers: { authorization: '' } }, 401],
    ['a token that is none', { headers: { authorization: 'Basic abc' } }, 401],
    ['another path', { path: '/' }, 404],
    ['a stream of its own', { method: 'GET' }, 405],
    ['a session that is not there', { headers: { 'mcp-session-id': 'none' } }, 404],
    ['no initialization', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }, 400],
    ['no JSON-RPC', { body: [1, 2] }, 400],
    ['a body that is too large', { body: { ...initialize, x: 'x'.repeat(3 * 1024 * 1024) } }, 413],
  ]
  for (const [title, sent, status] of refused)
    it(`refuses ${title} with ${status}`, async () => {
      const answer = await send(sent)
      expect(answer.status).to.equal(status)
      if (status === 401) expect(answer.headers['www-authenticate']).to.equal('Bearer realm="svc"')
      if (status !== 404 && status !== 400 && status !== 413) expect(service.routes()).to.deep.equal([])
    })
  it('never asks the service with another token than the agent sent', async () => {
    const [one, two] = await Promise.all([host.agent('svw_one_x'), host.agent('svw_two_x')])
    service.on('GET /apps', { json: { items: [] } })
    await Promise.all([one.ok('list_apps'), two.ok('list_apps')])
    const senders = service.asked.filter(({ path }) => path === '/apps').map(({ headers }) => headers.authorization)
    expect(senders).to.have.members(['Bearer svw_one_x', 'Bearer svw_two_x'])
  })
  it('keeps a session to the token that began it', async () => {
    const { headers } = await send()
    const session = { 'mcp-session-id': String(headers['mcp-session-id']) }
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' }
    expect((await send({ headers: session, body: ping })).status).to.equal(200)
    const other = { ...session, authorization: 'Bearer svw_other_x' }
    expect((await send({ headers: other, body: ping })).status).to.equal(404)
    expect((await send({ headers: other, method: 'DELETE' })).status).to.equal(404)
    expect((await send({ headers: session, method: 'DELETE' })).status).to.equal(200)
    expect((await send({ headers: session, body: ping })).status).to.equal(404)
  })
  it('ends the sessions of a token that is revoked', async () => {
    const agent = await host.agent('svw_a_b')
    const { headers } = await send()
    service.on('GET /me', revoked)
    const thrown = await agent.call('whoami').catch((error: unknown) => error)
    expect(thrown).to.have.property('code', 401)
    service.on('GET /me', { json: me })
    // Even if the token came back, the sessions do not.
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' }
    const session = { 'mcp-session-id': String(headers['mcp-session-id']) }
    expect((await send({ headers: session, body: ping })).status).to.equal(404)
  })
  it('ends the session of a token that was silent for longest when the token has too many', async () => {
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' }
    const ids: string[] = []
    for (let at = 0; at <= agentSessions.perToken; at += 1) ids.push(String((await send()).headers['mcp-session-id']))
    const pinged = async (id = '') => (await send({ headers: { 'mcp-session-id': id }, body: ping })).status
    expect([await pinged(ids[0]), await pinged(ids[1]), await pinged(ids.at(-1))]).to.deep.equal([404, 200, 200])
  })
  it('says that the service does not answer, and keeps the session', async () => {
    const agent = await host.agent('svw_a_b')
    service.on('GET /me', { status: 500, json: { error: 'could not complete the request', code: 'internal_error' } })
    expect(await agent.call('whoami').catch((error: unknown) => error)).to.have.property('code', 502)
    service.on('GET /me', { json: me })
    expect(await agent.ok('whoami')).to.deep.equal(me)
  })

  it('are a hundred at once, each answered for its own token', async () => {
    // Ten begin together: a hundred would each wait for all others, on a busy machine for longer than a call may take.
    const tens = Array.from({ length: 10 }, (_, at) => at)
    const agents: Awaited<ReturnType<typeof host.agent>>[] = []
    for (const ten of tens)
      agents.push(...(await Promise.all(tens.map(async (one) => await host.agent(`svw_agent${ten}${one}_x`)))))
    service.on('GET /apps', { json: { items: [] } })
    for (const ten of tens)
      await Promise.all(agents.slice(ten * 10, ten * 10 + 10).map(async (agent) => await agent.ok('list_apps')))
    const senders = service.asked.filter(({ path }) => path === '/apps').map(({ headers }) => headers.authorization)
    expect(new Set(senders).size).to.equal(100)
    await Promise.all(agents.map(async (agent) => await agent.close()))
  })
})
