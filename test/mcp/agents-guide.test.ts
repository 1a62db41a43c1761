/** docs/guides/agents.md as it is written: its commands, and how the agent programs that it names would start svc. */
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { type TestApi, startTestApi } from '../api/test-api.ts'
import { connect } from './agent.ts'

const address = 'https://svc.example.com'

interface Server {
  command: string
  args: string[]
}

describe('the guide of agents', function () {
  this.timeout(60_000)
  let page: string
  let api: TestApi
  let folder: string
  let env: Record<string, string>
  before(async () => {
    page = await readFile(join(import.meta.dirname, '../../docs/guides/agents.md'), 'utf8')
    api = await startTestApi()
    folder = await mkdtemp(join(tmpdir(), 'svc-agents-'))
    const main = join(import.meta.dirname, '../../cli/main.ts')
    await writeFile(join(folder, 'svc'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
    await chmod(join(folder, 'svc'), 0o755)
    env = { PATH: `${folder}:${process.env['PATH']}`, HOME: folder, XDG_CONFIG_HOME: join(folder, 'saved') }
    await signInAsWritten()
  })
  after(async () => {
    await api.stop()
    await rm(folder, { recursive: true })
  })

  /** The one command of the page that begins so, without its comment. */
  const commandOf = (begin: string): string => {
    const found = page.split('\n').filter((line) => line.trim().startsWith(begin))
    expect(found, begin).to.have.length(1)
    return found[0]?.replace(/ +#.*/, '').trim() ?? ''
  }
  const start = (line: string) => spawn('bash', ['--norc', '-c', `exec ${line.replace(address, api.baseUrl)}`], { env })

  /** The device sign-in of the page; the admin who approves it gives the role. */
  async function signInAsWritten(): Promise<void> {
    const child = start(commandOf('svc --context agent login'))
    for await (const line of createInterface({ input: child.stderr })) {
      const [userCode] = /\b[A-Z]{4}-[A-Z]{4}\b/.exec(line) ?? []
      if (userCode === undefined) continue
      const json = { userCode, role: 'observer' }
      await api.ask('POST', '/api/v1/auth/device/approve', { cookie: await api.signIn('admin'), json })
    }
    if (child.exitCode === null) await once(child, 'exit')
    expect(child.exitCode).to.equal(0)
  }
  async function toolsOf({ command, args }: Server): Promise<string[]> {
    const agent = await connect(new StdioClientTransport({ command, args, env }))
    const names = await agent.names()
    await agent.close()
    return names
  }
  /** What the files of the programs hold: the name of the server, and how it is started. */
  const started = (): [string, Server][] => {
    const json = page.split('\n').filter((line) => line.startsWith('    {"'))
    const [, command, args] = /command = (".*")\n +args = (\[.*\])\n/.exec(page) ?? []
    return [
      ...json.map((line): [string, Server] => {
        const [[file, servers] = ['', {}]] = Object.entries(JSON.parse(line) as Record<string, { svc?: Server }>)
        return [file, servers.svc ?? { command: '', args: [] }]
      }),
      ['config.toml', { command: JSON.parse(command ?? '""'), args: JSON.parse(args ?? '[]') }],
      ['claude mcp add', serverOf(commandOf('claude mcp add svc --').replace(/.* -- /, ''))],
    ]
  }
  const serverOf = (line: string): Server => {
    const [command = '', ...args] = line.split(' ')
    return { command, args }
  }

  it('has a way for each program, by which it gets the tools of the saved login', async () => {
    const ways = started()
    expect(ways.map(([file]) => file)).to.deep.equal(['mcpServers', 'servers', 'config.toml', 'claude mcp add'])
    for (const [file, server] of ways) expect(await toolsOf(server), file).to.have.length(15)
  })
  it('has a command for an agent that only reads', async () => {
    const names = await toolsOf(serverOf(commandOf('svc --context agent mcp')))
    expect(names).to.include('get_logs').and.not.to.include('deploy_app')
  })
  it('says how many tools each token gets', async () => {
    const { body } = await api.ask('POST', '/api/v1/projects', { token: await api.token({ role: 'admin' }), json: {} })
    const owner = { scope: 'project', project: body.project, environment: 'production' }
    const wanted = { viewer: {}, observer: {}, admin: {}, 'project token': owner }
    for (const [role, more] of Object.entries(wanted)) {
      const token = await api.token({ name: role, ...('scope' in more ? more : { role }) })
      const transport = new StdioClientTransport({ command: 'svc', args: ['mcp'], env: { ...env, ...own(token) } })
      const agent = await connect(transport)
      expect(page).to.include(`\n| ${role} | ${(await agent.names()).length} | `)
      await agent.close()
    }
  })
  it('has a server for many agents, and the command that connects one to it', async () => {
    const child = start(commandOf('svc mcp --url').replace('8090', '0'))
    const [line] = (await once(createInterface({ input: child.stderr }), 'line')) as [string]
    const [url = ''] = /http:\S+\/mcp/.exec(line) ?? []
    expect(page).to.include(`    # ${line.replace(new URL(url).port, '8090')}\n`)
    const [, at = '', name = '', value = ''] =
      /^claude mcp add --transport http svc (\S+) --header "(\S+): (.+)"$/.exec(
        commandOf('claude mcp add --transport http'),
      ) ?? []
    expect(at).to.equal(url.replace(new URL(url).port, '8090'))
    const token = await api.token({ name: 'over-http', role: 'viewer' })
    const headers = { [name]: value.replace('$SVC_TOKEN', token) }
    const agent = await connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
    expect(await agent.names()).to.have.length(12)
    await agent.close()
    child.kill()
    await once(child, 'exit')
  })

  const own = (token: string) => ({ SVC_URL: api.baseUrl, SVC_TOKEN: token })
})
