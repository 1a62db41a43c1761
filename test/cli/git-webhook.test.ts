/** `svc apps git-webhook`: what it asks for, and that it prints a secret only when it was asked for one. */
import { expect } from 'chai'
import { openDesk, type Desk } from './run-svc.ts'

const url = 'https://svc.example.test/webhooks/git/web'
const secret = 'ab'.repeat(32)

describe('svc apps git-webhook', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
  })
  afterEach(() => desk.close())

  const run = (...flags: string[]) => desk.signedIn(['apps', 'git-webhook', 'web', ...flags])

  it('shows the address, and says how a secret is made where there is none', async () => {
    desk.service.on('GET /apps/web/git-webhook', { json: { url, configured: false } })
    const { code, out, err } = await run()
    expect([code, out.includes(url)]).to.deep.equal([0, true])
    expect(err).to.include('no secret was made yet: `svc apps git-webhook web --rotate` makes it')
    desk.service.on('GET /apps/web/git-webhook', { json: { url, configured: true } })
    const quiet = await run()
    expect([quiet.err, quiet.out.includes('secret')]).to.deep.equal(['', false])
  })

  it('shows the secret with --reveal, and makes it or replaces it with --rotate', async () => {
    desk.service.on('GET /apps/web/git-webhook', { json: { url, configured: true, secret, revealed: true } })
    expect((await run('--reveal')).out).to.include(secret)
    expect(desk.service.asked.at(-1)?.path).to.equal('/apps/web/git-webhook?reveal=on')
    desk.service.on('POST /apps/web/git-webhook/rotate', { json: { ok: true, url, secret } })
    const { code, out } = await run('--rotate')
    expect([code, out.includes(url), out.includes(secret)]).to.deep.equal([0, true, true])
    const both = await run('--rotate', '--reveal')
    expect([both.code, both.err.trim()]).to.deep.equal([2, 'error: --rotate shows the secret: leave --reveal out'])
  })
})
