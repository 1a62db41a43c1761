/** What tools take and send, by a service that only records: limits of arguments, random arguments, and shapes. */
import { Ajv } from 'ajv'
import { expect } from 'chai'
import { allTools } from '../../mcp/toolset.ts'
import { startRecordedService, type RecordedService } from '../client/recorded-service.ts'
import { attempt, statusOf } from '../client/status.ts'
import { startAgentHost, textOf, type Agent, type AgentHost } from './agent.ts'
import { randomArguments, seeded } from './random-arguments.ts'

const me = { username: 'a', role: 'admin', canMutate: true, canReadSensitive: true, authentication: 'token' }

describe('the arguments of a tool', function () {
  this.timeout(60_000)
  let service: RecordedService
  let host: AgentHost
  let agent: Agent
  beforeEach(async () => {
    service = await startRecordedService()
    service.on('GET /me', { json: me })
    host = await startAgentHost(service.url, { allowDelete: true })
    agent = await host.agent('svw_a_b')
    service.asked.length = 0
  })
  afterEach(async () => {
    await agent.close()
    await host.stop()
    await service.stop()
  })
  const asked = () => service.routes().filter((route) => route !== 'GET /me')

  const refused: [string, string, Record<string, unknown>, RegExp][] = [
    [
      'a wait of 901 seconds',
      'deploy_app',
      { app: 'web', wait: true, timeout_seconds: 901 },
      /timeout_seconds must be a whole number from 1 to 900/,
    ],
    ['a wait of no time', 'rollback_app', { app: 'web', timeout_seconds: 0 }, /timeout_seconds/],
    ['501 log lines', 'get_logs', { app: 'web', tail: 501 }, /tail must be a whole number from 1 to 500/],
    ['no log lines', 'get_logs', { app: 'web', tail: 0 }, /tail/],
    [
      '29 idle seconds',
      'set_sleep_when_idle',
      { app: 'web', idle_seconds: 29 },
      /idle_seconds must be between 30 and 86400/,
    ],
    ['a day and a second', 'set_sleep_when_idle', { app: 'web', idle_seconds: 86_401 }, /between 30 and 86400/],
    ['1001 copies', 'scale_app', { app: 'web', replicas: 1001 }, /replicas must be a whole number from 0 to 1000/],
    ['half a copy', 'scale_app', { app: 'web', replicas: 0.5 }, /replicas must be a whole number from 0 to 1000/],
    ['an unknown argument', 'app_status', { app: 'web', verbose: true }, /verbose/],
    ['a missing argument', 'app_status', {}, /app/],
    ['an empty name', 'app_status', { app: '' }, /app/],
    ['half a character', 'app_status', { app: '\ud800' }, /well-formed/],
    ['another kind', 'delete_resource', { kind: 'projects', name: 'a', confirm: 'a' }, /kind/],
    ['a path to another host', 'invoke_function', { app: 'web', path: 'http://127.0.0.1/' }, /path must start with/],
    ['a reveal', 'database_connection', { name: 'a', reveal: true }, /reveal/],
  ]
  for (const [title, name, args, text] of refused)
    it(`refuses ${title} and asks the service nothing`, async () => {
      const said = await agent.refused(name, args)
      expect(said)
        .to.match(text)
        .and.to.match(new RegExp(`^${name} was not called`))
      expect(asked()).to.deep.equal([])
    })

  it('asks for 100 log lines by default, and for the last hour of metrics', async () => {
    service.on('GET /apps/web/logs', { json: { lines: [], services: [], truncated: false, note: '' } })
    service.on('GET /apps/web/metrics', { json: { window: '1h', step: 1, available: false, series: {} } })
    await agent.ok('get_logs', { app: 'web' })
    await agent.ok('app_metrics', { app: 'web' })
    expect(service.asked.map(({ path }) => path).filter((path) => path !== '/me')).to.deep.equal([
      '/apps/web/logs?tail=100',
      '/apps/web/metrics?window=1h',
    ])
  })
  it('creates a service from git with the names of the variables of its builds, and with a volume', async () => {
    service.on('POST /apps', { json: { ok: true, name: 'web', kind: 'apps' } })
    const place = { project: 'proj-1a2b3c4d', environment: 'production', repository: 'acme/web' }
    const named = { build_variables: ['NPM_TOKEN'], volume_path: '/data', volume_size: '1Gi' }
    await agent.ok('create_app', { ...place, ...named })
    const sent = { buildVariables: ['NPM_TOKEN'], volumePath: '/data', volumeSize: '1Gi' }
    expect(service.asked.at(-1)?.body).to.deep.equal({ ...place, source: 'git', ...sent })
  })

  it('cuts a stage to its last 200 lines', async () => {
    const lines = Array.from({ length: 201 }, (_, at) => `line ${at}`)
    service.on('GET /apps/web/deployments/web-a/logs', {
      json: { id: 'web-a', sections: [{ id: 'a', title: 'A', lines }] },
    })
    const { sections } = await agent.ok('deployment_logs', { app: 'web', deployment: 'web-a' })
    expect(sections[0].lines).to.deep.equal(['[1 earlier lines are left out]', ...lines.slice(1)])
  })
  it('never passes on a password that the service sends', async () => {
    const view = {
      keys: ['password'],
      host: 'h',
      port: '1',
      database: 'd',
      username: 'u',
      password: 'hunter2',
      uri: 'x:hunter2@h',
    }
    service.on('GET /databases/db/connection', { json: view })
    const result = await agent.call('database_connection', { name: 'db' })
    expect(JSON.stringify(result)).to.include('"username":"u"').and.not.to.include('hunter2')
    expect(service.asked.at(-1)?.path).to.equal('/databases/db/connection')
  })
  it('says within ten seconds whether sleep is active, or that the operator has not said', async () => {
    service.on('PATCH /apps/web', { json: { ok: true, pending: [], title: '', detail: '', button: '' } })
    const scaleToZero = { idleSeconds: 60, maxReplicas: 1 }
    const silent = statusOf({ scaleToZero })
    const said = statusOf({ scaleToZero: { ...scaleToZero, active: false, message: 'no host' } })
    service.on('GET /apps/web/status', { json: silent }, { json: said })
    const answered = await agent.ok('set_sleep_when_idle', { app: 'web', idle_seconds: 60 })
    expect(answered).to.deep.equal({ app: 'web', enabled: true, idle_seconds: 60, active: false, message: 'no host' })
    service.on('GET /apps/web/status', { json: silent })
    const unanswered = await agent.ok('set_sleep_when_idle', { app: 'web', idle_seconds: 60 })
    expect(unanswered).to.deep.equal({ app: 'web', enabled: true, idle_seconds: 60 })
  })
  it('cuts the result of a large answer, which still fits its schema', async () => {
    const item = {
      kind: 'app',
      name: 'web',
      displayName: '',
      project: 'p',
      environment: 'e',
      state: 'ready',
      message: 'x'.repeat(200),
      url: '',
      pendingChanges: 0,
      createdAt: '',
      details: {},
    }
    service.on('GET /apps', { json: { items: Array.from({ length: 1000 }, () => item) } })
    const result = await agent.call('list_apps') // the official client checks the schema
    expect(textOf(result).length).to.be.at.most(60_000)
    expect(JSON.stringify(result.structuredContent).length).to.be.at.most(60_000)
    expect(result.structuredContent?.['cut']).to.match(/was cut to 60000/)
  })

  it('have the limits and the defaults of the interface in their schemas', async () => {
    const { tools } = await agent.client.listTools()
    const limited: [string, string, object][] = [
      ['deploy_app', 'wait', { default: false }],
      ['deploy_app', 'timeout_seconds', { default: 300, minimum: 1, maximum: 900 }],
      ['rollback_app', 'timeout_seconds', { default: 300, minimum: 1, maximum: 900 }],
      ['get_logs', 'tail', { default: 100, minimum: 1, maximum: 500 }],
      ['get_logs', 'search', { maxLength: 200 }],
      ['scale_app', 'replicas', { minimum: 0, maximum: 1000 }],
      ['set_sleep_when_idle', 'idle_seconds', { default: 300, minimum: 30, maximum: 86_400 }],
      ['delete_resource', 'kind', { enum: ['apps', 'databases', 'object-stores', 'logical-databases'] }],
    ]
    for (const [name, argument, limits] of limited) {
      const { properties = {} } = tools.find((tool) => tool.name === name)?.inputSchema ?? {}
      expect(properties[argument], `${name}.${argument}`).to.deep.include(limits)
    }
  })

  it('are described: each tool, each argument, each with a schema that is one', async () => {
    const { tools } = await agent.client.listTools()
    const ajv = new Ajv({ strict: false })
    for (const tool of tools) {
      expect(tool.description?.length, tool.name).to.be.within(80, 700)
      expect(tool.description, tool.name).to.match(/\b(not|never|only|first)\b/i)
      expect(tool.inputSchema['additionalProperties'], tool.name).to.equal(false)
      ajv.compile(tool.inputSchema)
      ajv.compile(tool.outputSchema ?? false)
      const { readOnlyHint, destructiveHint, idempotentHint } = tool.annotations ?? {}
      expect([readOnlyHint, destructiveHint, idempotentHint], tool.name).to.satisfy((values: unknown[]) =>
        values.every((value) => typeof value === 'boolean'),
      )
      if (readOnlyHint === true) expect(destructiveHint, tool.name).to.equal(false)
    }
    expect(tools.filter(({ annotations }) => annotations?.destructiveHint).map(({ name }) => name)).to.deep.equal([
      'unset_variable',
      'remove_function_trigger',
      'delete_resource',
    ])
    const named = (hint: (of: NonNullable<(typeof tools)[number]['annotations']>) => boolean | undefined) =>
      tools.filter(({ annotations }) => hint(annotations ?? {})).map(({ name }) => name)
    const reading = tools
      .map(({ name }) => name)
      .filter((name) => /^(list|get)_|^(app|deployment)_|^whoami$/.test(name))
    expect(named(({ readOnlyHint }) => readOnlyHint)).to.have.members([
      ...reading,
      'project_compliance',
      'database_connection',
    ])
    const everyTimeAnew = ['deploy_app', 'rollback_app', 'create_app', 'invoke_function']
    expect(named(({ idempotentHint }) => idempotentHint === false)).to.have.members(everyTimeAnew)
    expect(named(({ openWorldHint }) => openWorldHint)).to.deep.equal(['invoke_function'])
    // An agent carries the list in each conversation.
    expect(JSON.stringify(tools).length).to.be.below(60_000)
  })

  it('may be anything: the answer is a result, and a wrong one reaches nothing', async () => {
    const random = seeded(20_261_123)
    const done = statusOf({ lastAttempt: attempt('web-new', 'Succeeded') })
    service.on('GET /apps/web/status', { json: done })
    for (let at = 0; at < 400; at += 1) {
      const tool = allTools[Math.floor(random() * allTools.length)] ?? allTools[0]
      if (tool === undefined) return
      const args = randomArguments(Object.keys(tool.input.shape), random)
      const before = asked().length
      const result = await agent.call(tool.name, args)
      if (!tool.input.safeParse(args).success) {
        expect(result.isError, JSON.stringify(args)).to.equal(true)
        expect(asked().length, JSON.stringify(args)).to.equal(before)
      } else expect(textOf(result)).not.to.equal('')
    }
    expect(host.notes.filter((line) => line.startsWith('error'))).to.deep.equal([])
  })
})
