/** Signing in and out; a saved token is sent only to its own server. */
import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { recordOf } from '../client/records.ts'
import { startRecordedService } from '../client/recorded-service.ts'
import { openDesk, type Desk } from './run-svc.ts'

const me = {
  username: 'ci',
  role: 'admin',
  canMutate: true,
  canReadSensitive: true,
  authentication: 'token',
  scope: 'workspace',
  expiresAt: null,
}
const device = {
  deviceCode: 'd'.repeat(64),
  userCode: 'BCDF-GHJK',
  verificationUri: 'https://svc.example.com/device',
  verificationUriComplete: 'https://svc.example.com/device?code=BCDF-GHJK',
  expiresIn: 600,
  interval: 5,
}
const answer = (code: string) => ({ status: code === 'slow_down' ? 429 : 400, json: { error: `it is ${code}`, code } })
const approved = {
  json: { token: 'svw_new_secret', tokenType: 'Bearer', role: 'observer', approvedBy: 'admin', expiresAt: null },
}

describe('sign-in', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
    desk.service.on('GET /me', { json: me })
    desk.service.on('POST /auth/device', { json: device })
  })
  afterEach(async () => await desk.close())

  const login = async (...args: string[]) =>
    await desk.svc(['login', '--url', desk.service.url, ...args], { input: 'svw_a_b\n' })

  it('saves a token from standard input and uses it from then on', async () => {
    const { code, out, err } = await login('--token-stdin')
    expect([code, err]).to.deep.equal([0, ''])
    expect(out).to.equal(
      `Signed in to ${desk.service.url} as ci (admin), saved as context ${new URL(desk.service.url).host}\n`,
    )
    expect((await desk.svc(['whoami'])).out)
      .to.include('ci')
      .and.to.include('admin')
    expect(desk.service.asked.map(({ headers }) => headers.authorization)).to.deep.equal([
      'Bearer svw_a_b',
      'Bearer svw_a_b',
    ])
  })
  it('saves no token that does not work', async () => {
    desk.service.on('GET /me', {
      status: 401,
      json: { error: 'invalid or expired API token', code: 'unauthenticated' },
    })
    expect((await login('--token-stdin')).code).to.equal(4)
    expect((await desk.svc(['config', 'get-contexts', '--json'])).out).to.equal('{\n  "items": []\n}\n')
  })
  it('needs an address the first time', async () => {
    expect(await desk.svc(['login', '--token-stdin'], { input: 'svw_a_b' })).to.deep.include({ code: 2 })
  })
  it('never shows a token', async () => {
    await login('--token-stdin', '--context', 'home')
    const runs = [
      await desk.svc(['config', 'get-contexts']),
      await desk.svc(['config', 'get-contexts', '--json']),
      await desk.svc(['whoami', '--json']),
    ]
    expect(runs.map(({ out, err }) => out + err).join(''))
      .to.include('home')
      .and.not.include('svw_a_b')
  })
  it('sends the saved token to its own address only', async () => {
    const other = await startRecordedService()
    await login('--token-stdin')
    const { code } = await desk.svc(['whoami', '--url', other.url])
    expect([code, other.asked]).to.deep.equal([4, []])
    await other.stop()
  })
  it('sends the token of the flag, else that of the variable, else the saved one', async () => {
    await login('--token-stdin')
    const env = { SVC_TOKEN: 'svw_of_the_variable' }
    await desk.svc(['whoami', '--token', 'svw_of_the_flag'], { env })
    await desk.svc(['whoami'], { env })
    await desk.svc(['whoami'])
    expect(desk.service.asked.slice(1).map(({ headers }) => headers.authorization)).to.deep.equal([
      'Bearer svw_of_the_flag',
      'Bearer svw_of_the_variable',
      'Bearer svw_a_b',
    ])
  })
  it('removes the login when its context gets another address', async () => {
    await login('--token-stdin', '--context', 'home')
    const { code, err } = await desk.svc(['config', 'set-context', 'home', '--url', 'https://elsewhere.example.com'])
    expect([code, err]).to.deep.equal([
      0,
      `its login was for ${desk.service.url} and is forgotten; sign in with \`svc login --context home\`\n`,
    ])
    expect(await readFile(desk.configPath, 'utf8')).not.to.include('svw_a_b')
  })
  it('keeps the login when its context gets a default project', async () => {
    await login('--token-stdin', '--context', 'home')
    await desk.svc(['config', 'set-context', 'home', '-p', 'proj-1a2b3c4d', '-e', 'production'])
    desk.service.on('GET /apps', { json: { items: [recordOf({ kind: 'app' }).resource] } })
    expect((await desk.svc(['apps', 'list'])).code).to.equal(0)
    expect(desk.service.asked.at(-1)?.path).to.equal('/apps?project=proj-1a2b3c4d&environment=production')
  })
  it('removes the token at logout', async () => {
    await login('--token-stdin', '--context', 'home')
    expect((await desk.svc(['logout'])).out).to.equal(`Signed out of ${desk.service.url} (context home)\n`)
    expect(await readFile(desk.configPath, 'utf8')).not.to.include('svw_a_b')
    expect((await desk.svc(['whoami'])).code).to.equal(4)
    expect((await desk.svc(['logout'])).code).to.equal(3)
  })
  it('switches between contexts', async () => {
    await login('--token-stdin', '--context', 'one')
    await login('--token-stdin', '--context', 'two')
    await desk.svc(['config', 'use-context', 'one'])
    const item = (name: string, current: boolean) => ({ name, current, signedIn: true, url: desk.service.url })
    expect(JSON.parse((await desk.svc(['config', 'get-contexts', '--json'])).out)).to.deep.equal({
      items: [item('one', true), item('two', false)],
    })
  })

  describe('by password', () => {
    const signIn = async (input: string) =>
      await desk.svc(['login', '--url', desk.service.url, '--username', 'ann', '--password-stdin'], { input })
    beforeEach(() => {
      desk.service.on('POST /api/login', (response) => {
        response
          .writeHead(200, { 'set-cookie': 'svc_session=abc; Path=/; HttpOnly', 'content-type': 'application/json' })
          .end('{"ok":true}')
      })
      desk.service.on('POST /tokens', { json: { ok: true, token: 'svw_made_secret', item: {} } })
    })
    it('makes a token in the name of the user and keeps no password', async () => {
      expect((await signIn('p&ss word\n')).code).to.equal(0)
      const [first, second] = desk.service.asked
      expect([first?.path, first?.body]).to.deep.equal(['/api/login', 'username=ann&password=p%26ss+word'])
      expect(second?.headers).to.include({ cookie: 'svc_session=abc', origin: desk.service.url })
      const saved = await readFile(desk.configPath, 'utf8')
      expect(saved).to.include('svw_made_secret').and.not.include('word').and.not.include('abc')
    })
    it('takes the password from SVC_PASSWORD without a terminal, and standard input before it', async () => {
      const where = ['login', '--url', desk.service.url, '--username', 'ann']
      const env = { SVC_PASSWORD: 'from the environment' }
      expect((await desk.svc(where, { env })).code).to.equal(0)
      expect((await desk.svc([...where, '--password-stdin'], { env, input: 'typed' })).code).to.equal(0)
      const sent = desk.service.asked.filter(({ path }) => path === '/api/login').map(({ body }) => body)
      expect(sent).to.deep.equal(['username=ann&password=from+the+environment', 'username=ann&password=typed'])
      expect(await readFile(desk.configPath, 'utf8')).not.to.include('from the environment')
    })
    it('ends with 4 when the password is wrong', async () => {
      desk.service.on('POST /api/login', { status: 400, json: { error: 'invalid username or password' } })
      expect(await signIn('wrong')).to.deep.include({ code: 4, err: 'error: invalid username or password\n' })
    })
    it('ends with 4 when the user may not make tokens', async () => {
      desk.service.on('POST /tokens', {
        status: 403,
        json: { error: 'viewer role cannot access this', code: 'forbidden' },
      })
      expect((await signIn('right')).code).to.equal(4)
    })
    it('asks without showing what is typed', async () => {
      const { code, out, err } = await desk.svc(['login', '--url', desk.service.url, '--username', 'ann'], {
        tty: true,
        input: 'hunter2\n',
      })
      expect(code).to.equal(0)
      expect(err).to.include('Password of ann: ')
      expect(out + err).not.to.include('hunter2')
      expect(desk.service.asked[0]?.body).to.equal('username=ann&password=hunter2')
    })
  })

  it('gets a token by device sign-in, polling every five seconds', async () => {
    desk.service.on('POST /auth/token', answer('authorization_pending'), answer('authorization_pending'), approved)
    const { code, err, waitedMs } = await login()
    expect([code, waitedMs]).to.deep.equal([0, 15_000])
    expect(err).to.include('BCDF-GHJK').and.to.include(device.verificationUri).and.not.include(device.deviceCode)
    expect(await readFile(desk.configPath, 'utf8')).to.include('svw_new_secret')
  })
  it('waits five seconds longer after each slow_down', async () => {
    desk.service.on(
      'POST /auth/token',
      answer('slow_down'),
      answer('slow_down'),
      answer('authorization_pending'),
      approved,
    )
    expect((await login()).waitedMs).to.equal(5000 + 10_000 + 15_000 + 15_000)
  })
  it('outlives a lost answer while polling', async () => {
    desk.service.on('POST /auth/token', (response) => response.destroy(), approved)
    expect((await login()).code).to.equal(0)
  })
  it('ends with 6 when the code expires before it is approved', async () => {
    desk.service.on('POST /auth/token', answer('authorization_pending'))
    expect(await login()).to.deep.include({ code: 6, waitedMs: 600_000 })
    desk.service.on('POST /auth/token', answer('expired_token'))
    expect(await login()).to.deep.include({ code: 6, waitedMs: 5000 })
  })
  it('ends with 4 when the sign-in is refused', async () => {
    desk.service.on('POST /auth/token', answer('access_denied'))
    const { code, err } = await login()
    expect(code).to.equal(4)
    expect(err).to.include('error: the sign-in was refused')
  })
})
