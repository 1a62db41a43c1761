/** Tools on services, functions and databases that run, as every caller; and the end of a token of a real api. */
import { expect } from 'chai'
import { realServersWithinMs, startRealServers, type RealServers } from '../cli/real-servers.ts'
import { startAgentHost, textOf, type Agent, type AgentHost } from './agent.ts'

const who = ['viewer', 'observer', 'admin', 'project'] as const
type Who = (typeof who)[number]

describe('tools on what runs', function () {
  this.timeout(60_000)
  let servers: RealServers | undefined
  let host: AgentHost | undefined
  let agents: Record<Who, Agent>
  let password: string
  before(async function () {
    this.timeout(realServersWithinMs)
    const started = await startRealServers()
    servers = started
    const { api, names } = started
    host = await startAgentHost(api.baseUrl, { allowDelete: true })
    const token = await api.token({ name: 'live', role: 'admin' })
    password = (await api.ask('GET', '/api/v1/databases/ran-db/connection?reveal=true', { token })).body.password
    const place = { project: names['ran-project'], environment: 'production' }
    const { agent } = host
    agents = {
      viewer: await agent(await api.token({ name: 'viewer', role: 'viewer' })),
      observer: await agent(await api.token({ name: 'observer', role: 'observer' })),
      admin: await agent(token),
      project: await agent(await api.token({ name: 'project', scope: 'project', ...place })),
    }
  })
  after(async () => {
    await host?.stop()
    await servers?.stop()
  })

  const anyone = who
  const readers = ['observer', 'admin', 'project'] as const
  const changers = ['admin', 'project'] as const
  const rows: [string, Record<string, unknown>, readonly Who[], RegExp][] = [
    ['app_status', { app: 'ran' }, anyone, /"state":"ready"/],
    ['app_metrics', { app: 'ran' }, anyone, /"available":true.*"cpu":\[[[{\d]/],
    ['app_deployments', { app: 'ran' }, anyone, /svc\/hello:2.*svc\/hello:1/],
    ['deployment_logs', { app: 'ran', deployment: '{earlier}' }, readers, /"lines":\["/],
    ['invoke_function', { app: 'ran-fn', body: '{"a":1}' }, changers, /"status":200.*"body":"called"/],
    ['database_connection', { name: 'ran-db' }, ['admin'], /"host":"ran-db/],
    ['rollback_app', { app: 'ran', deployment: '{earlier}' }, changers, /"outcome":"accepted"/],
    ['delete_resource', { kind: 'databases', name: 'ran-db-c', confirm: 'ran-db-c' }, ['admin'], /"deleting":true/],
    ['delete_resource', { kind: 'logical-databases', name: 'kept-c', confirm: 'kept-c' }, ['admin'], /"deleting":true/],
  ]
  for (const [name, args, callers, answers] of rows)
    it(`${name} ${JSON.stringify(args)} answers ${callers.join(', ')}`, async () => {
      const named = JSON.parse(JSON.stringify(args).replace('{earlier}', servers?.names['earlier'] ?? ''))
      for (const caller of who) {
        const agent = agents[caller]
        const isThere = (await agent.names()).includes(name)
        expect(isThere, caller).to.equal(callers.includes(caller))
        if (!isThere) continue
        const result = await agent.call(name, named)
        expect(result.isError, textOf(result)).to.equal(undefined)
        expect(JSON.stringify(result.structuredContent), caller).to.match(answers)
        expect(password).not.to.equal('')
        expect(JSON.stringify(result), caller).not.to.include(password)
      }
    })

  it('end for a token that is revoked, and for no other', async () => {
    const api = servers?.api
    if (api === undefined || host === undefined) throw new Error('nothing was started')
    const cookie = await api.signIn('admin')
    const made = await api.ask('POST', '/api/v1/tokens', { cookie, json: { name: 'short', role: 'viewer' } })
    const agent = await host.agent(made.body.token)
    expect(await agent.ok('whoami')).to.include({ role: 'viewer' })
    expect((await api.ask('DELETE', `/api/v1/tokens/${made.body.item.id}`, { cookie })).status).to.equal(200)
    const thrown = await agent.call('whoami').catch((error: unknown) => error)
    expect(thrown).to.have.property('code', 401)
    expect(await agents.viewer.ok('whoami')).to.include({ role: 'viewer' })
  })
})
