/** `svc api`: any request to the API, and its answer. */
import { expect } from 'chai'
import { type Desk, openDesk } from './run-svc.ts'

describe('svc api', () => {
  let desk: Desk
  before(async () => {
    desk = await openDesk()
  })
  after(() => desk.close())

  it('commands no terminal by the answer, which a pipe gets as it is', async () => {
    const app = { name: 'web', displayName: 'b\u009b1mc' }
    desk.service.on('GET /apps/web', { json: app })
    desk.service.on('GET /apps/gone', { status: 404, json: { ...app, error: 'not found', code: 'not_found' } })
    for (const path of ['/apps/web', '/apps/gone']) {
      const shown = await desk.signedIn(['api', 'GET', path], { tty: true })
      expect(shown.out).to.include(String.raw`b\u009b1mc`)
      expect((await desk.signedIn(['api', 'GET', path])).out).to.include('b\u009b1mc')
    }
  })

  it('shows on a terminal that an answer ends within a character', async () => {
    desk.service.on('GET /apps/web/log', (response) => response.end(Buffer.from('caf\u00e9').subarray(0, -1)))
    expect((await desk.signedIn(['api', 'GET', '/apps/web/log'], { tty: true })).out).to.equal('caf\ufffd\n')
  })

  it('prints the body of an error for scripts, and the sentence for people', async () => {
    desk.service.on('GET /apps/web', {
      status: 403,
      json: { error: 'this token cannot access that endpoint', code: 'forbidden' },
    })
    const { code, out, err } = await desk.signedIn(['api', 'GET', 'apps/web'])
    expect(JSON.parse(out)).to.include({ code: 'forbidden' })
    expect([code, err]).to.deep.equal([
      4,
      'error: this token cannot access that endpoint; `svc whoami` shows what this login may do\n',
    ])
  })
})
