/** The single executable: that it runs where there is no Node, alone, and speaks to a real api. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { buildExecutable } from '../../cli/executable.ts'
import { startTestApi, type TestApi } from '../api/test-api.ts'
import { forgetRecords } from '../harness/forget-records.ts'

const run = promisify(execFile)

describe('the executable', function () {
  this.timeout(180_000)
  let folder: string
  let program: string
  before(async function () {
    if (process.platform !== 'linux') this.skip()
    folder = await mkdtemp(join(tmpdir(), 'svc-executable-'))
    program = join(folder, 'alone', 'svc')
    const built = await buildExecutable(folder)
    expect(await readdir(folder)).to.deep.equal([`svc-linux-${process.arch}`])
    await mkdir(join(folder, 'alone'))
    await copyFile(built, program)
  })
  after(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true })
  })

  /** No PATH: nothing of this machine but the file itself. */
  const svc = async (args: readonly string[], env: Record<string, string> = {}) =>
    await run(program, args, { cwd: folder, env: { SVC_CONFIG: join(folder, 'config.json'), ...env } })

  it('prints its version, its help and its manual pages with nothing on standard error', async () => {
    expect(await svc(['version'])).to.deep.equal({ stdout: 'svc dev\nnot signed in to a service\n', stderr: '' })
    expect((await svc(['--help'])).stdout).to.match(/^Usage: svc \[options\] \[command\]\n/)
    expect((await svc(['man', 'deploy'])).stdout).to.match(/^\.TH SVC\\-DEPLOY 1/)
    expect((await svc(['completion', 'bash'])).stdout).to.include('complete ')
  })
  it('ends with the exit code of its command', async () => {
    const refused = await svc(['deploy']).catch((error: unknown) => error)
    expect(refused).to.include({ code: 2, stderr: "error: missing required argument 'app'; see `svc deploy --help`\n" })
  })

  describe('with a real api', () => {
    let api: TestApi
    let env: Record<string, string>
    before(async () => {
      api = await startTestApi()
      env = { SVC_URL: api.baseUrl, SVC_TOKEN: await api.token({ name: 'executable', role: 'admin' }) }
    })
    after(async () => {
      await api.stop()
      await forgetRecords()
    })

    it('makes a project and a service, and lists them', async () => {
      const made = await svc(['projects', 'create', 'packed', '--json'], env)
      const { project } = JSON.parse(made.stdout) as { project: string } // as the api answers
      const create = ['apps', 'create', 'packed-web', '-p', project, '-e', 'production', '--image', 'svc/hello:1']
      expect((await svc(create, env)).stdout).to.include('packed-web')
      expect((await svc(['apps', 'list', '-p', project, '-q'], env)).stdout).to.equal('packed-web\n')
      const missing = await svc(['status', 'no-such-web'], env).catch((error: unknown) => error)
      expect(missing).to.include({ code: 3, stderr: 'error: app not found\n' })
    })
    it('gives an agent its tools', async () => {
      const server = spawn(program, ['mcp'], { env: { ...env, SVC_CONFIG: join(folder, 'config.json') } })
      const answers: string[] = []
      server.stdout.on('data', (chunk: Buffer) => answers.push(chunk.toString()))
      const clientInfo = { name: 'test', version: '1' }
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
      const initialized = once(server.stdout, 'data')
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
      await initialized
      const listed = once(server.stdout, 'data')
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' })}\n`)
      await listed
      server.stdin.end()
      await once(server, 'close')
      expect(answers.join('')).to.include('"name":"deploy_app"')
    })
  })
})
