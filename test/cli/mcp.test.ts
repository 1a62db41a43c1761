/** `svc mcp` before any agent is there: what ends it, and with which code. */
import { expect } from 'chai'
import { openDesk, type Desk } from './run-svc.ts'

describe('svc mcp', () => {
  let desk: Desk
  beforeEach(async () => (desk = await openDesk()))
  afterEach(async () => await desk.close())

  it('ends with 4 when the token is not valid', async () => {
    desk.service.on('GET /me', {
      status: 401,
      json: { error: 'invalid or expired API token', code: 'unauthenticated' },
    })
    const { code, out, err } = await desk.signedIn(['mcp'])
    expect([code, out, err]).to.deep.equal([4, '', 'error: invalid or expired API token; sign in with `svc login`\n'])
  })
  it('ends with 0 when the agent closes its side, and has printed nothing of its own', async () => {
    desk.service.on('GET /me', {
      json: { username: 'a', role: 'viewer', canMutate: false, canReadSensitive: false, authentication: 'token' },
    })
    expect(await desk.signedIn(['mcp'])).to.include({ code: 0, out: '', err: '' })
  })
  it('ends with 2 for what is no address to listen at', async () => {
    const { code, err } = await desk.signedIn(['mcp', '--listen', 'here'])
    expect([code, err]).to.deep.equal([
      2,
      'error: "here" is not an address to listen at, such as 8090 or 127.0.0.1:8090\n',
    ])
  })
})
