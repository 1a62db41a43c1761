/** `svc version` compares the API line that it speaks with that of the service. */
import { expect } from 'chai'
import { openDesk, type Desk } from './run-svc.ts'

describe('svc version', () => {
  let desk: Desk
  beforeEach(async () => (desk = await openDesk()))
  afterEach(async () => await desk.close())

  const lines: [string, string][] = [
    ['v1', ''],
    ['v2', 'this svc speaks api v1, the service v2: install a newer svc\n'],
    ['v0', 'this svc speaks api v1, the service v0: update the service, or install the svc of its release\n'],
    ['beta', 'this svc speaks api v1, the service beta\n'],
  ]
  for (const [api, advice] of lines) {
    it(`of a service that speaks ${api} advises ${advice || 'nothing'}`, async () => {
      desk.service.on('GET /version', { json: { api, name: 'svc' } })
      expect(await desk.signedIn(['version'])).to.deep.include({
        code: 0,
        out: `svc dev\napi ${api} (svc)\n`,
        err: advice,
      })
      const { out } = await desk.signedIn(['version', '--json'])
      expect(JSON.parse(out)).to.deep.equal({ client: 'dev', server: { api, name: 'svc' }, compatible: advice === '' })
    })
  }
  it('says so without a service', async () => {
    expect(await desk.svc(['version'])).to.deep.include({ code: 0, out: 'svc dev\nnot signed in to a service\n' })
  })
})
