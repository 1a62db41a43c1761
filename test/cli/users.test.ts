/** `svc users` with the password of an admin, which comes from a prompt or standard input, never from an argument. */
import { expect } from 'chai'
import { openDesk, type Desk } from './run-svc.ts'

describe('svc users', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
    desk.service.on('POST /api/login', (response) => {
      response
        .writeHead(200, { 'set-cookie': 'svc_session=abc; Path=/; HttpOnly', 'content-type': 'application/json' })
        .end('{"ok":true}')
    })
  })
  afterEach(async () => await desk.close())

  const users = (args: readonly string[], input = 'mine\ntheirs-new-1\n') =>
    desk.signedIn(['users', ...args, '--password-stdin'], { input })

  it('list signs in as admin and shows names and roles', async () => {
    desk.service.on('GET /users', { json: { items: [{ username: 'ann', role: 'viewer' }] } })
    const { code, out } = await users(['list'])
    expect([code, out]).to.deep.equal([0, 'USER   ROLE\nann    viewer\n'])
    const [login, list] = desk.service.asked
    expect(login?.body).to.equal('username=admin&password=mine')
    expect(list?.headers)
      .to.include({ cookie: 'svc_session=abc', origin: desk.service.url })
      .and.not.have.property('authorization')
  })

  it('add takes the second line of standard input for the password of the user', async () => {
    desk.service.on('POST /users', { json: { ok: true, item: { username: 'ann', role: 'admin' } } })
    const { code, out, err } = await users(['add', 'ann', '--role', 'admin', '--as', 'root'])
    expect([code, out]).to.deep.equal([0, 'ann may sign in (admin)\n'])
    expect(desk.service.asked.map(({ body }) => body)).to.deep.equal([
      'username=root&password=mine',
      { username: 'ann', password: 'theirs-new-1', role: 'admin' },
    ])
    expect(out + err).not.to.include('theirs-new-1')
    expect((await users(['add', 'ann'], 'mine\n')).code).to.equal(2)
  })

  it('set-password asks twice, and nothing is changed when the two differ', async () => {
    desk.service.on('POST /users/ann/password', { json: { ok: true } })
    for (const [again, code] of [
      ['hunter23', 1],
      ['hunter22', 0],
    ] as const) {
      // prettier-ignore
      const asked: string[] = []
      const answers = ['mine', 'hunter22', again]
      const askSecret = async (question: string) => {
        asked.push(question)
        return answers.shift() ?? ''
      }
      const run = await desk.signedIn(['users', 'set-password', 'ann'], { askSecret })
      expect([run.code, asked]).to.deep.equal([
        code,
        ['Password of admin: ', 'New password of ann: ', 'The same again: '],
      ])
      expect(run.err).to.equal(code === 0 ? '' : 'error: the two passwords differ, nothing was changed\n')
    }
    expect(desk.service.asked.at(-1)?.body).to.deep.equal({ password: 'hunter22' })
  })

  it('set-password of the admin who signed in proves the current password', async () => {
    desk.service.on('POST /me/password', { json: { ok: true } })
    expect((await users(['set-password', 'admin'])).code).to.equal(0)
    expect(desk.service.asked.at(-1)?.body).to.deep.equal({ currentPassword: 'mine', newPassword: 'theirs-new-1' })
  })

  it('set-role and remove say what they did, and remove says which tokens stay', async () => {
    desk.service.on('POST /users/ann/role', { json: { ok: true, item: { username: 'ann', role: 'viewer' } } })
    desk.service.on('DELETE /users/ann', { json: { ok: true, tokens: 2 } })
    expect((await users(['set-role', 'ann', 'viewer'])).out).to.equal('ann is viewer\n')
    expect((await users(['remove', 'ann'])).code, 'no terminal can be asked').to.equal(2)
    const { code, out, err } = await users(['remove', 'ann', '--yes'])
    expect([code, out, err]).to.deep.equal([
      0,
      'ann is removed\n',
      `Deleting user ann (${desk.service.url}) for good\n` +
        'note: 2 tokens that ann made go on working; revoke those that should not\n',
    ])
    expect(desk.service.asked.at(-1)?.path).to.equal('/users/ann?confirmName=ann')
    desk.service.on('DELETE /users/ann', { json: { ok: true, tokens: 1 } })
    expect((await users(['remove', 'ann', '--yes'])).err).to.contain('note: 1 token that ann made goes on working;')
  })

  it('take the password of the admin from SVC_PASSWORD without a terminal', async () => {
    desk.service.on('GET /users', { json: { items: [] } })
    const env = { SVC_PASSWORD: 'from the environment' }
    expect((await desk.signedIn(['users', 'list'], { env })).code).to.equal(0)
    expect(desk.service.asked[0]?.body).to.equal('username=admin&password=from+the+environment')
    expect((await desk.signedIn(['users', 'list'])).code).to.equal(2)
  })

  it('end with 4 when the password is wrong', async () => {
    desk.service.on('POST /api/login', { status: 400, json: { error: 'invalid username or password' } })
    expect(await users(['list'])).to.deep.include({ code: 4, err: 'error: invalid username or password\n' })
  })
})
