/** The official clients of the protocol against `svc mcp`: the inspector, the conformance runner, the Python SDK. */
import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startRecordedService, type RecordedService } from '../client/recorded-service.ts'
import { startAgentHost, type AgentHost } from '../mcp/agent.ts'
import { npmClients, pythonWithClient } from './install.ts'

const run = promisify(execFile)
const token = 'svw_official_x'
const main = join(import.meta.dirname, '../../cli/main.ts')

describe('official clients', function () {
  this.timeout(300_000)
  let service: RecordedService
  let host: AgentHost
  let packages: string
  before(async () => {
    packages = await npmClients()
    service = await startRecordedService()
    const me = { username: 'a', role: 'admin', canMutate: true, canReadSensitive: true, authentication: 'token' }
    service.on('GET /me', { json: me })
    service.on('GET /apps', { json: { items: [] } })
    service.on('GET /apps/no-such-app/status', { status: 404, json: { error: 'app not found', code: 'not_found' } })
    host = await startAgentHost(service.url)
  })
  after(async () => {
    await host.stop()
    await service.stop()
  })

  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever came
  const inspect = async (args: readonly string[], env: Record<string, string> = {}): Promise<any> => {
    const program = join(packages, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')
    const { stdout } = await run(process.execPath, [program, '--cli', ...args], {
      env: { PATH: process.env['PATH'] ?? '', HOME: packages, ...env },
    })
    return JSON.parse(stdout)
  }
  const overHttp = () => [host.url.href, '--transport', 'http', '--header', `Authorization: Bearer ${token}`]

  it('the inspector lists the tools over HTTP and calls one', async () => {
    const { tools } = await inspect([...overHttp(), '--method', 'tools/list'])
    expect(tools).to.have.length(26)
    const called = await inspect([...overHttp(), '--method', 'tools/call', '--tool-name', 'list_apps'])
    expect(called.structuredContent).to.deep.equal({ items: [] })
  })
  it('the inspector starts svc mcp and calls a tool', async () => {
    const env = { SVC_URL: service.url, SVC_TOKEN: token, SVC_CONFIG: '/nonexistent/config.json' }
    const flags = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
    const called = await inspect(
      [...flags, process.execPath, main, 'mcp', '--method', 'tools/call', '--tool-name', 'whoami'],
      env,
    )
    expect(called.structuredContent).to.include({ role: 'admin' })
  })
  for (const scenario of [
    'server-initialize',
    'ping',
    'tools-list',
    'dns-rebinding-protection',
    'server-sse-multiple-streams',
  ])
    it(`the conformance runner passes ${scenario}`, async () => {
      // It sends no token: a proxy adds it and leaves all else as it is.
      const proxy = await startProxy(Number(host.url.port))
      try {
        const { port } = proxy.address() as AddressInfo
        const program = join(packages, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
        const { stdout } = await run(
          process.execPath,
          [program, 'server', '--url', `http://127.0.0.1:${port}/mcp`, '--scenario', scenario],
          { cwd: packages },
        )
        expect(stdout).to.match(/Passed: ([1-9]\d*)\/\1, 0 failed/)
      } finally {
        proxy.closeAllConnections()
        proxy.close()
      }
    })
  describe('the Python SDK lists the tools and checks what they answer', () => {
    const agent = async (args: readonly string[], env: Record<string, string> = {}) => {
      const python = await pythonWithClient()
      const { stdout } = await run(python, [join(import.meta.dirname, 'agent.py'), ...args], {
        env: { PATH: process.env['PATH'] ?? '', ...env },
      })
      const { tools, me, missing } = JSON.parse(stdout)
      expect(tools).to.equal(26)
      expect(me.structuredContent).to.include({ role: 'admin' })
      expect(missing.isError).to.equal(true)
      expect(missing.content[0].text).to.match(/^app not found \[check the name/)
    }
    it('over HTTP', async () => await agent(['http', host.url.href, token]))
    it('over standard input and output', async () =>
      await agent(['stdio', process.execPath, main, 'mcp'], {
        SVC_URL: service.url,
        SVC_TOKEN: token,
        SVC_CONFIG: '/nonexistent/config.json',
      }))
  })
})

async function startProxy(port: number): Promise<Server> {
  const server = createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${token}` }
    const passed = httpRequest(
      { host: '127.0.0.1', port, method: request.method, path: request.url, headers },
      (it) => {
        response.writeHead(it.statusCode ?? 502, it.headers)
        it.pipe(response)
      },
    )
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}
