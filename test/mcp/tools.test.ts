/** Every tool as every caller against the real api: answers, refusals, what is not there, what is not allowed. */
import { expect } from 'chai'
import { type TestApi, startTestApi } from '../api/test-api.ts'
import { allTools } from '../../mcp/toolset.ts'
import { startAgentHost, textOf, type Agent, type AgentHost } from './agent.ts'
import { randomArguments, seeded } from './random-arguments.ts'

const secretValue = 'do-not-show-this-9f2c'
const who = ['viewer', 'observer', 'admin', 'project'] as const
type Who = (typeof who)[number]

/** Good arguments and, where something is named, arguments that name what does not exist. */
interface Row {
  args: Record<string, unknown>
  /** A part of the answer as JSON, or the refusal of a platform without the part that it needs. */
  answers: RegExp
  missing?: Record<string, unknown>
}

describe('each tool', function () {
  this.timeout(120_000)
  let api: TestApi
  let host: AgentHost
  let agents: Record<Who, Agent>
  let rows: Record<string, Row>
  before(async () => {
    api = await startTestApi()
    host = await startAgentHost(api.baseUrl, { allowDelete: true })
    const token = await api.token({ name: 'admin', scope: 'workspace', role: 'admin' })
    const post = async (path: string, json: object) => {
      const answer = await api.ask('POST', `/api/v1${path}`, { json, token })
      if (answer.status >= 300) throw new Error(`${path} answered ${answer.status} ${answer.text}`)
      return answer.body
    }
    const { project } = await post('/projects', {})
    const place = { project, environment: 'production' }
    await post('/apps', { ...place, name: 'tools-web', image: 'nginx:1.29' })
    await post('/apps', { ...place, name: 'tools-fn', source: 'function', runtime: 'node', code: 'export default 1' })
    await post('/databases', { ...place, name: 'tools-db' })
    for (const name of ['tools-gone', 'tools-keep']) await post('/apps', { ...place, name, image: 'nginx:1.29' })
    await post('/apps/tools-web/secrets/set', { key: 'PASSWORD', value: secretValue })
    await post('/apps/tools-web/config/set', { key: 'OLD', value: 'x' })
    const tokens = {
      viewer: { scope: 'workspace', role: 'viewer' },
      observer: { scope: 'workspace', role: 'observer' },
      admin: { scope: 'workspace', role: 'admin' },
      project: { scope: 'project', ...place },
    }
    const made = await Promise.all(
      who.map(async (it) => [it, await host.agent(await api.token({ name: it, ...tokens[it] }))] as const),
    )
    agents = Object.fromEntries(made) as Record<Who, Agent> // fromEntries forgets the names
    rows = rowsOf(project)
  })
  after(async () => {
    await Promise.all(Object.values(agents).map(async (agent) => await agent.close()))
    await host.stop()
    await api.stop()
  })

  for (const { name } of allTools) {
    it(`${name} answers callers who may use it, and is not there for others`, async () => {
      const row = rows[name]
      if (row === undefined) throw new Error(`there is no row for ${name}`)
      let used = 0
      for (const caller of who) {
        const agent = agents[caller]
        if (!(await agent.names()).includes(name)) {
          const thrown = await agent.call(name, row.args).then(
            () => undefined,
            (error: unknown) => error,
          )
          expect(thrown, caller).to.have.property('code', -32_602)
          continue
        }
        used += 1
        const result = await agent.call(name, row.args)
        const text = result.isError === true ? textOf(result) : JSON.stringify(result.structuredContent)
        expect(text, caller).to.match(row.answers)
        expect(JSON.stringify(result), caller).not.to.include(secretValue)
        if (row.missing !== undefined)
          expect(await agent.refused(name, row.missing), caller)
            .to.match(/not found|has no|no such/)
            .and.to.include('[check')
        expect(await agent.refused(name, { ...row.args, unknown_argument: 1 }), caller).to.include('unknown_argument')
      }
      expect(used).to.be.at.least(1)
    })
  }
  it('has a row here', () => {
    expect(Object.keys(rows).toSorted()).to.deep.equal(allTools.map(({ name }) => name).toSorted())
  })
  it('passes on what the service refuses of functions', async () => {
    expect(await agents.admin.refused('invoke_function', { app: 'tools-web' })).to.equal('tools-web is not a function')
    expect(
      await agents.admin.refused('set_function_trigger', { app: 'tools-web', name: 'a', schedule: '@daily' }),
    ).to.equal('functionTriggers applies to functions only')
  })
  it('takes any arguments without a fault of itself or of the service behind it', async () => {
    const random = seeded(7)
    const logged = api.logLines().length
    for (let at = 0; at < 300; at += 1) {
      const tool = allTools[at % allTools.length]
      if (tool === undefined) return
      const args = randomArguments(Object.keys(tool.input.shape), random)
      const result = await agents.admin.call(tool.name, args)
      expect(JSON.stringify(result), JSON.stringify(args)).not.to.include(secretValue)
      expect(textOf(result), JSON.stringify(args)).not.to.match(/could not complete the request|could not load/)
    }
    const faults = api
      .logLines()
      .slice(logged)
      .filter(({ status }) => typeof status === 'number' && status >= 500)
    expect(faults).to.deep.equal([])
    expect(host.notes.filter((line) => line.startsWith('error'))).to.deep.equal([])
  })
  it('lists nothing of a project only where there is one', async () => {
    const ofProject = rows['project_compliance']?.args
    expect(await agents.viewer.refused('list_apps', { project: 'tools' })).to.match(/^project tools not found \[check/)
    expect(await agents.viewer.refused('list_apps', { ...ofProject, environment: 'nope' })).to.match(
      /^the project has no environment nope \[check/,
    )
  })
  it('says with the service what is not allowed', async () => {
    const text = await agents.project.refused('list_apps', { project: 'proj-00000000', environment: 'production' })
    expect(text).to.include('[this token may not do that')
  })
})

function rowsOf(project: string): Record<string, Row> {
  const app = 'tools-web'
  const gone = { app: 'no-such-app' }
  return {
    whoami: { args: {}, answers: /"authentication":"token"/ },
    list_projects: { args: {}, answers: new RegExp(project) },
    project_compliance: { args: { project }, answers: /requiredTags/, missing: { project: 'proj-00000000' } },
    list_nodes: { args: {}, answers: /"schedulable":/ },
    list_apps: { args: {}, answers: /tools-web/ },
    get_app: { args: { app }, answers: /"spec":/, missing: gone },
    app_status: { args: { app }, answers: /"state":/, missing: gone },
    app_deployments: { args: { app }, answers: /"items":/, missing: gone },
    app_metrics: { args: { app }, answers: /"window":"1h"/, missing: gone },
    get_logs: { args: { app }, answers: /"lines":/, missing: gone },
    deployment_logs: {
      args: { app, deployment: 'tools-web-none1' },
      answers: /not found|has no/,
      missing: { ...gone, deployment: 'x' },
    },
    list_variables: { args: { app }, answers: /"secrets":\["PASSWORD"/, missing: gone },
    set_variable: {
      args: { app, name: 'A', value: 'b' },
      answers: /"name":"A"/,
      missing: { ...gone, name: 'A', value: '' },
    },
    unset_variable: {
      args: { app, name: 'A' },
      answers: /"removed":true|has no variable/,
      missing: { app, name: 'NONE' },
    },
    deploy_app: { args: { app: 'tools-keep' }, answers: /"outcome":"accepted"/, missing: gone },
    rollback_app: { args: { app: 'tools-fn' }, answers: /no earlier deployment/, missing: gone },
    scale_app: { args: { app, replicas: 1 }, answers: /"replicas":1/, missing: { ...gone, replicas: 1 } },
    set_sleep_when_idle: { args: { app, enabled: false }, answers: /"enabled":false|not available/, missing: gone },
    create_app: {
      args: { project, environment: 'production', image: 'nginx:1.29' },
      answers: /"kind":"apps"/,
      missing: { project: 'proj-00000000', environment: 'production', image: 'nginx:1.29' },
    },
    set_function_trigger: {
      args: { app: 'tools-fn', name: 'nightly', schedule: '0 3 * * *' },
      answers: /"name":"nightly"/,
      missing: { ...gone, name: 'a', schedule: '@daily' },
    },
    remove_function_trigger: {
      args: { app: 'tools-fn', name: 'nightly' },
      answers: /"schedules":\[\]|has no schedule/,
      missing: { app, name: 'nightly' },
    },
    invoke_function: { args: { app: 'tools-fn' }, answers: /tools-fn has no address: it is draft/, missing: gone },
    list_databases: { args: {}, answers: /tools-db/, missing: { project, environment: 'nope' } },
    get_database: {
      args: { name: 'tools-db' },
      answers: /"spec":/,
      missing: { name: 'none', kind: 'logical-databases' },
    },
    database_connection: {
      args: { name: 'tools-db' },
      answers: /no connection details yet/,
      missing: { name: 'none' },
    },
    list_buckets: { args: {}, answers: /"items":/, missing: { project: 'proj-00000000' } },
    delete_resource: {
      args: { kind: 'apps', name: 'tools-gone', confirm: 'tools-gone' },
      answers: /"deleting":true/,
      missing: { kind: 'databases', name: 'none', confirm: 'none' },
    },
  }
}
