/**
 * The official clients of the protocol against `svc mcp` with a real api, worker and cluster behind it: the inspector
 * and the Python SDK over both transports, the conformance runner over HTTP, the only one that it speaks to servers.
 */
import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startTestApi, type TestApi } from '../api/test-api.ts'
import { useWorker } from '../harness/worker.ts'
import { startAgentHost, stdioProgram, type AgentHost } from '../mcp/agent.ts'
import { npmClients, pythonWithClient } from './install.ts'
import { applies, doesNotApply } from './scenarios.ts'

const run = promisify(execFile)
const app = 'official'

describe('official clients', function () {
  this.timeout(300_000)
  let api: TestApi
  let host: AgentHost
  let packages: string
  let token: string
  let started: ReturnType<typeof stdioProgram>
  before(async () => {
    packages = await npmClients()
    ;[api] = await Promise.all([startTestApi(), useWorker()])
    host = await startAgentHost(api.baseUrl)
    token = await api.token({ name: 'official', role: 'admin' })
    started = stdioProgram(api.baseUrl, token)
    const { project } = (await api.ask('POST', '/api/v1/projects', { json: {}, token })).body
    const fields = { project, environment: 'production', name: app, image: 'nginx:1' }
    expect((await api.ask('POST', '/api/v1/apps', { json: fields, token })).status).to.be.below(300)
  })
  after(async () => {
    await host?.stop()
    await api?.ask('DELETE', `/api/v1/apps/${app}`, { json: { confirmName: app }, token })
    await api?.stop()
  })

  describe('the inspector lists the tools and calls some', () => {
    // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever came
    type Inspect = (...args: string[]) => Promise<any>
    const inspect = async (args: readonly string[], env: Record<string, string> = {}) => {
      const program = join(packages, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')
      const { stdout } = await run(process.execPath, [program, '--cli', ...args], {
        env: { PATH: process.env['PATH'] ?? '', HOME: packages, ...env },
      })
      return JSON.parse(stdout)
    }
    const uses = async (asked: Inspect) => {
      // Strict: it ends with an error where a schema is none that model providers take.
      expect((await asked('--method', 'tools/list', '--strict')).tools).to.have.length(26)
      const call = async (name: string, ...args: string[]) =>
        await asked('--method', 'tools/call', '--tool-name', name, ...args.flatMap((arg) => ['--tool-arg', arg]))
      expect((await call('whoami')).structuredContent).to.include({ role: 'admin' })
      const { items } = (await call('list_apps', 'environment=production')).structuredContent
      expect(items.map(({ name }: { name: string }) => name)).to.include(app)
      const saved = await call('set_variable', `app=${app}`, 'name=COLOUR', 'value=green')
      expect(saved.structuredContent).to.deep.include({ app, name: 'COLOUR' })
    }

    it('over HTTP', async () => {
      const place = [host.url.href, '--transport', 'http', '--header', `Authorization: Bearer ${token}`]
      await uses(async (...args) => await inspect([...place, ...args]))
    })
    it('over standard input and output', async () => {
      const { command, args: words, env } = started
      const flags = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
      await uses(async (...args) => await inspect([...flags, command, ...words, ...args], env))
    })
  })

  describe('the conformance runner', () => {
    const conform = async (...args: string[]): Promise<string> => {
      const program = join(packages, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
      return (await run(process.execPath, [program, ...args], { cwd: packages })).stdout
    }
    it('has these scenarios, and no others', async () => {
      const listed = (await conform('list', '--server')).match(/(?<=^ *- )\S+/gm)
      expect(listed).to.have.members([...applies, ...Object.values(doesNotApply).flat()])
    })
    for (const scenario of applies)
      it(`passes ${scenario}`, async () => {
        // It sends no token: a proxy adds it and leaves all else as it is.
        const proxy = await startProxy(Number(host.url.port), token)
        try {
          const { port } = proxy.address() as AddressInfo
          const said = await conform('server', '--url', `http://127.0.0.1:${port}/mcp`, '--scenario', scenario)
          expect(said).to.match(/Passed: ([1-9]\d*)\/\1, 0 failed/)
        } finally {
          proxy.closeAllConnections()
          proxy.close()
        }
      })
  })

  describe('the Python SDK calls tools, and waits for a deploy with progress', () => {
    const agent = async (args: readonly string[], env: Record<string, string> = {}) => {
      const python = await pythonWithClient()
      const { stdout } = await run(python, [join(import.meta.dirname, 'agent.py'), app, ...args], {
        env: { PATH: process.env['PATH'] ?? '', ...env },
      })
      const { tools, steps, me, missing, deployed } = JSON.parse(stdout)
      expect(tools).to.equal(26)
      expect(me.structuredContent).to.include({ role: 'admin' })
      expect(missing.isError).to.equal(true)
      expect(missing.content[0].text).to.match(/^app not found \[check the name/)
      expect(deployed.structuredContent).to.include({ app, outcome: 'complete' })
      expect(steps).to.be.at.least(1)
    }
    it('over HTTP', async () => await agent(['http', host.url.href, token]))
    it('over standard input and output', async () =>
      await agent(['stdio', started.command, ...started.args], started.env))
  })
})

async function startProxy(port: number, token: string): Promise<Server> {
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
