/** Which tools a caller sees: by what the token may do, and by the flags of the server. */
import { expect } from 'chai'
import { type TestApi, startTestApi } from '../api/test-api.ts'
import { startAgentHost, startStdioAgent, type AgentHost } from './agent.ts'

const viewer = [
  'app_deployments',
  'app_metrics',
  'app_status',
  'get_app',
  'get_database',
  'list_apps',
  'list_buckets',
  'list_databases',
  'list_nodes',
  'list_projects',
  'project_compliance',
  'whoami',
]
const observer = [...viewer, 'deployment_logs', 'get_logs', 'list_variables']
const serviceChanges = [
  'deploy_app',
  'invoke_function',
  'remove_function_trigger',
  'rollback_app',
  'scale_app',
  'set_function_trigger',
  'set_sleep_when_idle',
  'set_variable',
  'unset_variable',
]
const admin = [...observer, 'create_app', 'database_connection', ...serviceChanges]
const projectReads = [
  'app_deployments',
  'app_metrics',
  'app_status',
  'deployment_logs',
  'get_app',
  'get_logs',
  'list_apps',
  'list_variables',
  'whoami',
]
const project = [...projectReads, ...serviceChanges]

const tokens = {
  viewer: { scope: 'workspace', role: 'viewer' },
  observer: { scope: 'workspace', role: 'observer' },
  admin: { scope: 'workspace', role: 'admin' },
} as const

describe('the tools of an agent', function () {
  this.timeout(60_000)
  let api: TestApi
  let secret: Record<'viewer' | 'observer' | 'admin' | 'project', string>
  before(async () => {
    api = await startTestApi()
    const cookie = await api.signIn('admin')
    const made = await api.ask('POST', '/api/v1/projects', { json: {}, cookie })
    const owner = { project: made.body.project, environment: 'production' }
    const [one, two, three, four] = await Promise.all([
      ...Object.values(tokens).map(async (wanted) => await api.token({ name: wanted.role, ...wanted })),
      api.token({ name: 'ci', scope: 'project', ...owner }),
    ])
    secret = { viewer: one ?? '', observer: two ?? '', admin: three ?? '', project: four ?? '' }
  })
  after(async () => await api.stop())

  const rows: [
    string,
    { readOnly?: boolean; allowDelete?: boolean },
    Record<keyof typeof secret, string[]>,
    number[],
  ][] = [
    ['without flags', {}, { viewer, observer, admin, project }, [12, 15, 26, 18]],
    [
      'with --read-only',
      { readOnly: true },
      { viewer, observer, admin: [...observer, 'database_connection'], project: projectReads },
      [12, 15, 16, 9],
    ],
    [
      'with --allow-delete',
      { allowDelete: true },
      { viewer, observer, admin: [...admin, 'delete_resource'], project },
      [12, 15, 27, 18],
    ],
    [
      'with both',
      { readOnly: true, allowDelete: true },
      { viewer, observer, admin: [...observer, 'database_connection'], project: projectReads },
      [12, 15, 16, 9],
    ],
  ]
  for (const [title, flags, expected, counts] of rows) {
    it(`are those that its token may use, ${title}`, async () => {
      const host: AgentHost = await startAgentHost(api.baseUrl, flags)
      try {
        for (const [index, who] of (['viewer', 'observer', 'admin', 'project'] as const).entries()) {
          const agent = await host.agent(secret[who])
          const names = await agent.names()
          expect(names, who).to.deep.equal(expected[who].toSorted())
          expect(names, who).to.have.length(counts[index] ?? 0)
          await agent.close()
        }
      } finally {
        await host.stop()
      }
    })
  }
  it('are the same on standard input and output', async () => {
    const agent = await startStdioAgent(api.baseUrl, secret.observer)
    expect(await agent.names()).to.deep.equal(observer.toSorted())
    expect(await agent.ok('whoami')).to.include({ role: 'observer', authentication: 'token' })
    await agent.close()
  })
})
