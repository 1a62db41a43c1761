/** Every exit code (docs/reference/command-line.md#exit-codes) and the cases that lead to it. */
import { expect } from 'chai'
import { recordOf } from '../client/records.ts'
import { statusOf } from '../client/status.ts'
import { openDesk, type Desk, type RunOptions } from './run-svc.ts'

const web = recordOf({ kind: 'app', name: 'web' })
const refusal = (status: number, code: string, error: string) => ({ status, json: { error, code } })

/** While signed in: the arguments, the service's answer and the exit code. */
const refused: [string, string[], number, object, string][] = [
  [
    'a 400 is 1',
    ['scale', 'web', '1001'],
    1,
    refusal(400, 'invalid_request', 'replicas must be a whole number from 0 to 1000'),
    'POST /apps/web/scale',
  ],
  ['a 500 is 1', ['apps', 'list'], 1, refusal(500, 'internal_error', 'could not load the resources'), 'GET /apps'],
  ['a 404 is 3', ['status', 'nope'], 3, refusal(404, 'not_found', 'app not found'), 'GET /apps/nope/status'],
  ['a 401 is 4', ['whoami'], 4, refusal(401, 'unauthenticated', 'invalid or expired API token'), 'GET /me'],
  ['a 403 is 4', ['logs', 'web'], 4, refusal(403, 'forbidden', 'viewer role cannot access this'), 'GET /apps/web/logs'],
  [
    'a bucket that is not there is 3',
    ['stores', 'deploy', 'nope'],
    3,
    refusal(404, 'not_found', 'bucket not found'),
    'POST /object-stores/nope/deploy',
  ],
  [
    'a retry of what has not failed is 1',
    ['databases', 'retry', 'shop'],
    1,
    refusal(400, 'invalid_request', 'only a failed deploy can be retried; this database is ready'),
    'POST /databases/shop/retry-provision',
  ],
  ['a raw 404 is 3', ['api', 'GET', '/nope'], 3, refusal(404, 'not_found', 'not found'), 'GET /nope'],
]

const usage: [string, string[], RunOptions?][] = [
  ['an unknown command', ['frobnicate']],
  ['an unknown verb', ['apps', 'frobnicate']],
  ['an unknown help page', ['help', 'frobnicate']],
  ['a noun without a verb', ['apps']],
  ['an unknown flag', ['apps', 'list', '--frobnicate']],
  ['a flag without its value', ['apps', 'list', '--project']],
  ['a missing argument', ['deploy']],
  ['one argument too many', ['status', 'web', 'api']],
  ['KEY=VALUE without =', ['env', 'set', 'web', 'KEY']],
  ['KEY=VALUE without a key', ['env', 'set', 'web', '=value']],
  ['copies that are no number', ['scale', 'web', 'many']],
  ['scale without anything to change', ['scale', 'web']],
  ['a time limit that is none', ['deploy', 'web', '--wait', '--timeout', 'soon']],
  ['delete without --yes where no answer can be given', ['apps', 'delete', 'web']],
  ['an address that is none', ['--url', 'localhost', 'whoami']],
  ['create without a source', ['apps', 'create', 'web', '-p', 'proj-1a2b3c4d', '-e', 'production']],
  ['create with an empty image', ['apps', 'create', 'web', '-p', 'proj-1a2b3c4d', '-e', 'production', '--image', '']],
  ['a webhook without an address', ['webhooks', 'add', '-p', 'proj-1a2b3c4d']],
  ['create without a project', ['apps', 'create', 'web', '--image', 'nginx']],
  ['a database without a project', ['databases', 'create', 'shop', '--deploy']],
  ['an unknown engine', ['databases', 'create', 'shop', '--engine', 'oracle']],
  ['settings of a service that change nothing', ['apps', 'set', 'web']],
  ['settings that change nothing', ['databases', 'set', 'shop', '--deploy']],
  ['a logical database without a server', ['logical', 'create', 'shop', '--database', 'shop']],
  ['a logical database without any name', ['logical', 'create', '--server', 'main']],
  [
    'a time limit of a bucket that is none',
    ['stores', 'set', 'shop', '--bucket', 'photos', '--wait', '--timeout', 'soon'],
  ],
  ['a kind that cannot be attached', ['apps', 'attach', 'web', 'shop', '--kind', 'project']],
  ['a password without a username', ['login', '--password-stdin']],
  ['a password that no terminal can be asked for', ['login', '--username', 'ann']],
  ['an unknown method', ['api', 'FETCH', '/apps']],
  ['a query that is no pair', ['api', 'GET', '/apps', '-q', 'project']],
  ['an unknown shell', ['completion', 'csh']],
  ['an empty --token', ['--token', '', 'whoami']],
  ['a level that no line has', ['logs', 'web', '--level', 'foo']],
  ['an empty token', ['login', '--token-stdin'], { input: '\n' }],
]

describe('exit codes', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
  })
  afterEach(async () => await desk.close())

  for (const [name, args, code, answer, route] of refused) {
    it(name, async () => {
      desk.service.on(route, answer as { json: unknown }) // each is a status and a JSON body
      const { code: ended, err } = await desk.signedIn(args)
      expect([ended, desk.service.routes()]).to.deep.equal([code, [route]])
      expect(err).to.match(/^error: [^\n]+\n$/)
    })
  }
  for (const [name, args, options] of usage) {
    it(`${name} is 2, and nothing is sent`, async () => {
      const { code, out, err } = await desk.signedIn(args, options)
      expect([code, out, desk.service.asked]).to.deep.equal([2, '', []])
      expect(err).not.to.equal('')
    })
  }
  it('help and version are 0', async () => {
    for (const args of [
      [],
      ['--help'],
      ['help'],
      ['help', 'apps', 'scale'],
      ['deploy', '-h'],
      ['-v'],
      ['completion', 'bash'],
    ]) {
      expect(await desk.svc(args), args.join(' ')).to.deep.include({ code: 0, err: '' })
    }
  })
  it('the help of a command that is none is 2', async () => {
    for (const args of [
      ['help', 'frobnicate'],
      ['help', 'apps', 'frobnicate'],
    ])
      expect((await desk.svc(args)).code).to.equal(2)
  })
  it('no earlier deployment is 3', async () => {
    desk.service.on('GET /apps/web/status', { json: statusOf() })
    desk.service.on('GET /apps/web/deployments', { json: { items: [] } })
    expect((await desk.signedIn(['rollback', 'web'])).code).to.equal(3)
  })
  it('no saved login is 3', async () => {
    for (const args of [
      ['whoami'],
      ['logout'],
      ['apps', 'list'],
      ['config', 'use-context', 'prod'],
      ['--context', 'prod', 'whoami'],
    ]) {
      expect((await desk.svc(args)).code, args.join(' ')).to.equal(3)
    }
  })
  it('an address without a token is 4', async () => {
    const { code, err } = await desk.svc(['--url', desk.service.url, 'whoami'])
    expect([code, err]).to.deep.equal([
      4,
      `error: not signed in to ${desk.service.url}: sign in with \`svc login --url ${desk.service.url}\`\n`,
    ])
  })
  it('a service that does not answer is 1', async () => {
    await desk.service.stop()
    const { code, err } = await desk.signedIn(['whoami'])
    expect([code, err]).to.deep.equal([1, `error: could not reach ${desk.service.url}: connection refused\n`])
  })
  it('a delete that is called off is 1, and nothing is deleted', async () => {
    desk.service.on('GET /apps/web', { json: web })
    const { code, err } = await desk.signedIn(['apps', 'delete', 'web'], { tty: true, input: 'wbe\n' })
    expect([code, desk.service.routes()]).to.deep.equal([1, ['GET /apps/web']])
    expect(err)
      .to.include(`Delete service web (project proj-1a2b3c4d, environment production, ${desk.service.url})`)
      .and.to.include('Type its name')
      .and.to.include('cancelled')
  })
  it('a delete and a rollback of a saved login show its context', async () => {
    desk.service.on('GET /me', { json: { username: 'ci', role: 'admin' } })
    desk.service.on('GET /apps/web', { json: web })
    desk.service.on('GET /apps/web/status', { json: statusOf() })
    desk.service.on('DELETE /apps/web', { json: { ok: true } })
    desk.service.on('POST /apps/web/rollback', { json: { ok: true } })
    const login = ['login', '--url', desk.service.url, '--token-stdin', '--context', 'prod']
    expect((await desk.svc(login, { input: 'svw_a_b\n' })).code).to.equal(0)
    for (const words of ['apps delete web -y', 'rollback web web-old']) {
      const { code, err } = await desk.svc(words.split(' '))
      expect(code, words).to.equal(0)
      expect(err, words).to.include(`environment production, ${desk.service.url}, context prod)`)
    }
  })
  it('a delete of what is in another place than -e says is 2, with --yes and without', async () => {
    desk.service.on('GET /apps/web', { json: web })
    for (const more of [['-y'], []]) {
      const { code, err } = await desk.signedIn(['-e', 'staging', ...more, 'apps', 'delete', 'web'], { tty: true })
      expect([code, err]).to.deep.equal([
        2,
        'error: web is in another place than -p and -e say: project proj-1a2b3c4d, environment production\n',
      ])
    }
    expect(new Set(desk.service.routes())).to.deep.equal(new Set(['GET /apps/web']))
  })
  it('a deploy or change of what is in another place than -p or -e says is 2, and nothing is asked for', async () => {
    const commands = ['deploy web', 'deploy web --wait', 'scale web 2', 'env set web A=b', 'apps set web --port 80']
    for (const words of [...commands, 'apps discard web', 'build web', 'logs web', 'status web'])
      for (const place of [
        ['-e', 'staging'],
        ['-p', 'proj-00000000'],
      ]) {
        desk.service.on('GET /apps/web/status', { json: statusOf() })
        const { code, err, out } = await desk.signedIn([...words.split(' '), ...place])
        expect([code, err, out], words).to.deep.equal([
          2,
          'error: web is in another place than -p and -e say: project proj-1a2b3c4d, environment production\n',
          '',
        ])
      }
    for (const [words, route, kind] of [
      ['databases deploy shop', 'GET /databases/shop', 'database'],
      ['stores deploy shop', 'GET /object-stores/shop', 'object-store'],
      ['logical-databases retry shop', 'GET /logical-databases/shop', 'logical-database'],
    ] as const) {
      desk.service.on(route, { json: recordOf({ kind, name: 'shop' }) })
      expect((await desk.signedIn([...words.split(' '), '-e', 'staging'])).code, words).to.equal(2)
    }
    expect(desk.service.asked.map(({ method }) => method)).to.deep.equal(Array(desk.service.asked.length).fill('GET'))
  })
  it('a project with a name that is refused is not made, and ends with 1', async () => {
    const { code, err } = await desk.signedIn(['projects', 'create', 'x'.repeat(64)])
    expect([code, err]).to.deep.equal([1, 'error: displayName must be at most 63 characters\n'])
    expect(desk.service.routes()).to.deep.equal([])
  })
  it('a project with a name that another has is not made, and ends with 1', async () => {
    desk.service.on('GET /projects', { json: { items: [recordOf({ kind: 'project', displayName: 'shop' }).resource] } })
    const { code, err } = await desk.signedIn(['projects', 'create', 'shop'])
    expect([code, err]).to.deep.equal([1, 'error: another project has this name\n'])
    expect(desk.service.routes()).to.deep.equal(['GET /projects'])
  })
  it('variables of which one is refused are none of them set, and end with 1', async () => {
    const { code, err } = await desk.signedIn(['env', 'set', 'web', 'A=1', 'lower=1'])
    expect([code, err]).to.deep.equal([
      1,
      'error: variable name must use uppercase letters, numbers, and underscores\n',
    ])
    expect(desk.service.routes()).to.deep.equal([])
  })
  it('settings of a service end with what became of them', async () => {
    const said = async (answer: object, ...more: string[]) => {
      desk.service.on('PATCH /apps/web', { json: { ok: true, title: 'x', button: 'Deploy', ...answer } })
      return (await desk.signedIn(['apps', 'set', 'web', '--port', '80', ...more])).out
    }
    expect(await said({ pending: [], detail: 'x' })).to.equal('Saved; nothing waits for a deploy\n')
    expect(await said({ pending: ['settings'], detail: 'Changed settings wait.' })).to.equal(
      'Saved. Changed settings wait. Deploy with `svc deploy web`\n',
    )
    expect(await said({ pending: [], detail: 'x', deployed: true }, '--deploy')).to.equal(
      'Saved; the deploy of web was accepted\n',
    )
  })
  it('a deploy in the place that -p and -e say is accepted', async () => {
    desk.service.on('GET /apps/web/status', { json: statusOf() })
    desk.service.on('POST /apps/web/deploy', { json: { ok: true, title: '', detail: '', button: '', pending: [] } })
    const place = ['-p', 'proj-1a2b3c4d', '-e', 'production']
    expect((await desk.signedIn(['deploy', 'web', ...place])).code).to.equal(0)
    expect(desk.service.routes()).to.deep.equal(['GET /apps/web/status', 'POST /apps/web/deploy'])
  })
  it('a delete that is confirmed carries the name', async () => {
    desk.service.on('DELETE /apps/web', { json: { ok: true } })
    desk.service.on('GET /apps/web', { json: web })
    expect((await desk.signedIn(['apps', 'delete', 'web'], { tty: true, input: 'web\n' })).code).to.equal(0)
    expect((await desk.signedIn(['-y', 'services', 'delete', 'web'])).code).to.equal(0)
    const deletes = desk.service.asked.filter(({ method }) => method === 'DELETE')
    expect(deletes.map(({ path }) => path)).to.deep.equal(Array(2).fill('/apps/web?confirmName=web'))
  })
})
