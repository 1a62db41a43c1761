/** What an error says to do next: the name or command that was meant, and how to be allowed. */
import { expect } from 'chai'
import { openDesk, type Desk } from './run-svc.ts'

describe('errors', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
    desk.service.on('GET /apps', { json: { items: ['web', 'worker', 'web-api'].map((name) => ({ name })) } })
    const project = { name: 'proj-1a2b3c4d', displayName: 'shop', details: {} }
    desk.service.on('GET /projects', { json: { items: [project] } })
    desk.service.on('GET /databases', { json: { items: [{ name: 'calm-otter' }] } })
  })
  afterEach(async () => await desk.close())
  const said = async (args: string, tty = true) => (await desk.signedIn(args.split(' '), { tty })).err

  const guesses: [string, string][] = [
    ['status wbe', 'web'],
    ['deploy wep', 'web'],
    ['apps get workers', 'worker'],
    ['databases get clam-otter', 'calm-otter'],
    ['databases get calmotter', 'calm-otter'],
    ['projects get sohp', 'shop'],
    ['-p shopp webhooks list', 'shop'],
  ]
  for (const [args, meant] of guesses) {
    it(`of "${args}" ask whether ${meant} was meant`, async () => {
      expect((await said(args)).split('\n').slice(-2)).to.deep.equal([`did you mean ${meant}?`, ''])
    })
  }
  it('do not guess what is far from every name, nor for a script', async () => {
    expect(await said('status billing')).not.to.include('did you mean')
    expect(await said('status wbe', false)).not.to.include('did you mean')
  })
  it('do not guess where the name is right and something else is missing', async () => {
    desk.service.on('GET /apps/web/status', { json: { project: 'p', environment: 'e', name: 'web' } })
    expect(await said('rollback web web-nope')).not.to.include('did you mean')
  })
  it('name the command or flag that was meant', async () => {
    expect(await said('depoly web'))
      .to.include("unknown command 'depoly'")
      .and.to.include('Did you mean deploy?')
    expect(await said('deploy web --wiat')).to.include('Did you mean --wait?')
  })
  it('say which help to read where nothing is guessed', async () => {
    expect(await said('app set')).to.equal("error: missing required argument 'app'; see `svc apps set --help`\n")
    expect(await said('-p shop apps list more')).to.match(/^error: too many .+ more; see `svc apps list --help`\n$/)
    expect(await said('frobnicate')).to.equal("error: unknown command 'frobnicate'; see `svc --help`\n")
    expect(await said('scale web many')).to.match(/It must be a whole number\n$/)
  })
  it('say how to be allowed', async () => {
    const refusal = (code: string) => ({ status: code === 'forbidden' ? 403 : 401, json: { error: 'no', code } })
    desk.service.on('GET /me', refusal('unauthenticated'))
    expect(await said('whoami')).to.equal('error: no; sign in with `svc login`\n')
    desk.service.on('GET /me', refusal('forbidden'))
    expect(await said('whoami')).to.equal('error: no; `svc whoami` shows what this login may do\n')
  })
})
