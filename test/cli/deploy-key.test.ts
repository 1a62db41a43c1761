/** `svc apps deploy-key`: what it asks for, and that it prints the public key alone where one is to be pasted. */
import { expect } from 'chai'
import { openDesk, type Desk } from './run-svc.ts'

const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI svc-web'
const fingerprint = 'SHA256:abc'

describe('svc apps deploy-key', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
  })
  afterEach(() => desk.close())

  const run = (...flags: string[]) => desk.signedIn(['apps', 'deploy-key', 'web', ...flags])

  it('shows the key and the host that is known, and says how one is made where there is none', async () => {
    desk.service.on('GET /apps/web/deploy-key', { json: { configured: false, hosts: [] } })
    const none = await run()
    expect([none.code, none.out]).to.deep.equal([0, ''])
    expect(none.err).to.include('no key was made yet: `svc apps deploy-key web --rotate` makes it')
    const hosts = ['git.example.test SHA256:def']
    desk.service.on('GET /apps/web/deploy-key', { json: { configured: true, publicKey, fingerprint, hosts } })
    const { code, out } = await run()
    expect([code, out.includes(publicKey), out.includes(fingerprint), out.includes(hosts[0] ?? '')]).to.deep.equal([
      0,
      true,
      true,
      true,
    ])
  })

  it('makes or replaces it, with the line for the git server on standard output alone', async () => {
    desk.service.on('POST /apps/web/deploy-key/rotate', { json: { ok: true, publicKey, fingerprint } })
    const { code, out, err } = await run('--rotate')
    expect([code, out]).to.deep.equal([0, `${publicKey}\n`])
    expect(err).to.include(fingerprint)
  })

  it('removes it, and does not do both at once', async () => {
    desk.service.on('POST /apps/web/deploy-key/delete', { json: { ok: true } })
    expect((await run('--remove')).out).to.equal('The deploy key of web was removed\n')
    const both = await run('--rotate', '--remove')
    expect([both.code, both.err.trim()]).to.deep.equal([2, 'error: --rotate and --remove cannot be used together'])
  })
})
