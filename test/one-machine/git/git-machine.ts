/** A git server of one machine with a folder of its own for each test, who works with it, and a stand-in of the api. */
import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type GitServer, startGitServer } from '../../../one-machine/git/server.ts'
import { makeAuthority, type TestAuthority } from '../../harness/dashboard-endpoint.ts'

const run = promisify(execFile)
/** Of this machine alone, as the address for pods is. */
export const hostAddress = '127.0.0.2'
export const secret = 'secret-of-the-webhook'

interface Delivery {
  url: string
  id: string
  isSigned: boolean
  text: string
}

export class GitMachine {
  authority!: TestAuthority // made before the first test
  server!: GitServer // started before each test
  /** Of the server. */
  folder = ''
  /** Of the user who works with it. */
  files = ''
  /** What the api answers next; 202 without any. */
  answers: number[] = []
  deliveries: Delivery[] = []
  said: string[] = []
  #api: Server = createServer()

  async git(cwd: string, ...args: string[]): Promise<string> {
    const env = { PATH: process.env['PATH'], HOME: this.files, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' }
    const { stdout } = await run('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.test', ...args], { cwd, env })
    return stdout.trim()
  }

  /** By the very command that `npm start` prints; resolves with the folder. */
  async clone(to: string): Promise<string> {
    const [, ...words] = this.server.cloneCommand.split(' ')
    await this.git(this.files, ...words, to)
    return join(this.files, to)
  }

  async commit(work: string, text: string): Promise<string> {
    writeFileSync(join(work, 'server.mjs'), text)
    await this.git(work, 'commit', '-q', '-a', '-m', text)
    return this.git(work, 'rev-parse', 'HEAD')
  }

  get hookFile(): string {
    return join(this.folder, 'webhooks', 'sample.json')
  }

  hook(): unknown {
    return JSON.parse(readFileSync(this.hookFile, 'utf8'))
  }

  async start(): Promise<void> {
    const at = (name: string) => join(this.files, name)
    const api = `http://127.0.0.1:${(this.#api.address() as AddressInfo).port}`
    const tls = { authority: this.authority.file, cert: at('git.crt'), key: at('git.key') }
    const say = (line: string) => void this.said.push(line)
    this.server = await startGitServer({ folder: this.folder, hostAddress, tls, api, say })
  }

  async begin(): Promise<void> {
    this.files = mkdtempSync(join(tmpdir(), 'svc-git-client-'))
    this.authority = await makeAuthority()
    const { cert, key } = await this.authority.issue('127.0.0.1', hostAddress)
    writeFileSync(join(this.files, 'git.crt'), cert)
    writeFileSync(join(this.files, 'git.key'), key)
    this.#api.on('request', (asked, answer) => {
      let text = ''
      asked.on('data', (chunk: Buffer) => (text += chunk.toString()))
      asked.on('end', () => {
        const proof = createHmac('sha256', secret).update(text).digest('hex')
        const isSigned = asked.headers['x-gitea-signature'] === proof && asked.headers['x-gitea-event'] === 'push'
        this.deliveries.push({ url: asked.url ?? '', id: String(asked.headers['x-gitea-delivery']), isSigned, text })
        answer.writeHead(this.answers.shift() ?? 202).end('{}')
      })
    })
    await new Promise<void>((resolve) => this.#api.listen(0, '127.0.0.1', resolve))
  }

  async clear(): Promise<void> {
    await this.server.stop()
    rmSync(this.folder, { recursive: true, force: true })
    for (const name of readdirSync(this.files))
      if (!name.startsWith('git.')) rmSync(join(this.files, name), { recursive: true })
  }

  async end(): Promise<void> {
    this.#api.close()
    await this.authority.forget()
    rmSync(this.files, { recursive: true, force: true })
  }
}

/** Call it in a describe. */
export function useGitMachine(): GitMachine {
  const machine = new GitMachine()
  before(() => machine.begin())
  beforeEach(async () => {
    machine.folder = mkdtempSync(join(tmpdir(), 'svc-git-server-'))
    machine.answers = []
    machine.deliveries = []
    machine.said = []
    await machine.start()
  })
  afterEach(() => machine.clear())
  after(() => machine.end())
  return machine
}
