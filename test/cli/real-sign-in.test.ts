/** Signing in, contexts and signing out against a real api, as every way to sign in has it. */
import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { type TestApi, startTestApi, testUsers } from '../api/test-api.ts'
import { eventually } from '../cluster/eventually.ts'
import { openDesk, type Desk, type Run, type RunOptions } from './run-svc.ts'

describe('svc login against a real api', function () {
  this.timeout(60_000)
  let api: TestApi
  let desk: Desk
  before(async () => {
    api = await startTestApi()
  })
  after(async () => await api.stop())
  beforeEach(async () => {
    desk = await openDesk()
  })
  afterEach(async () => await desk.close())

  const login = async (args: readonly string[], options: RunOptions = {}): Promise<Run> =>
    await desk.svc(['login', '--url', api.baseUrl, ...args], { realTime: true, ...options })
  const roleNow = async (): Promise<unknown> => {
    const { code, out, err } = await desk.svc(['whoami', '--json'])
    expect(code, err).to.equal(0)
    return (JSON.parse(out) as { role: unknown }).role
  }
  /** What a person does in a browser who reads the code that the terminal shows. */
  async function decide(code: string, decision: Record<string, string>): Promise<void> {
    const json = { userCode: code, ...decision }
    const answer = await api.ask('POST', '/api/v1/auth/device/approve', { cookie: await api.signIn('admin'), json })
    expect(answer.status, answer.text).to.equal(200)
  }
  /** A sign-in by device, and what is decided once its code is shown. */
  async function byDevice(decision: Record<string, string>): Promise<Run> {
    let shown = ''
    const running = login([], { onNote: (text) => (shown += text) })
    const code = () => /\b[A-Z]{4}-[A-Z]{4}\b/.exec(shown)?.[0]
    await eventually('the code is shown', () => code() !== undefined)
    await decide(code() ?? '', decision)
    return await running
  }

  it('by device: approved in a browser, with the role that was given there', async () => {
    const { code, err } = await byDevice({ role: 'observer' })
    expect(code, err).to.equal(0)
    expect(await roleNow()).to.equal('observer')
  })
  it('by device: ends with 4 where it is refused, and saves nothing', async () => {
    const { code, err } = await byDevice({ deny: 'true' })
    expect([code, err.split('\n').at(-2)]).to.deep.equal([4, 'error: the sign-in was refused'])
    expect((await desk.svc(['whoami'])).code).to.equal(3)
  })
  it('by a token on standard input; one that is made up ends with 4 and is not saved', async () => {
    expect((await login(['--token-stdin'], { input: 'svw_made_up\n' })).code).to.equal(4)
    expect((await desk.svc(['whoami'])).code).to.equal(3)
    const token = await api.token({ name: 'from-stdin', role: 'viewer' })
    expect((await login(['--token-stdin', '--context', 'here'], { input: `${token}\n` })).code).to.equal(0)
    expect(await roleNow()).to.equal('viewer')
    expect((await desk.svc(['config', 'get-contexts', '-q'])).out).to.equal('here\n')
    const out = await desk.svc(['logout'])
    expect([out.code, (await readFile(desk.configPath, 'utf8')).includes(token)]).to.deep.equal([0, false])
    expect((await desk.svc(['whoami'])).code).to.equal(4)
  })
  it('by the password of SVC_PASSWORD; a wrong one, and that of a viewer, end with 4', async () => {
    const { username, password } = testUsers.admin
    const by = async (name: string, SVC_PASSWORD: string) =>
      (await login(['--username', name, '--json'], { env: { SVC_PASSWORD } })).code
    expect(await by(username, 'not-the-password')).to.equal(4)
    expect(await by(testUsers.viewer.username, testUsers.viewer.password)).to.equal(4)
    expect(await by(username, password)).to.equal(0)
    expect(await roleNow()).to.equal('admin')
    expect(await readFile(desk.configPath, 'utf8')).not.to.include(password)
  })
})
