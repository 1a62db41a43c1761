/** `svc apps attach`: how it finds the kind of a name, and what it gives the service. */
import { expect } from 'chai'
import { recordOf } from '../client/records.ts'
import { openDesk, type Desk } from './run-svc.ts'

const detail = 'Changed variables take effect with the next deploy.'
const pending = { ok: true, pending: ['variables'], title: 'Changes to deploy', detail, button: 'Deploy changes' }
const reference = (name: string, secret: string) => ({
  name,
  valueFrom: { secretKeyRef: { name: `${secret}-connection`, key: 'uri' } },
})
const env = [{ name: 'PLAIN', value: 'x' }, reference('OTHER_URL', 'other'), reference('DATABASE_URL', 'shop')]

describe('svc apps attach', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
    desk.service.on('POST /apps/web/attach', { json: pending })
    desk.service.on('GET /apps/web', { json: { ...recordOf({ kind: 'app' }), spec: { env } } })
  })
  afterEach(async () => await desk.close())
  const sent = () => desk.service.asked.filter(({ method }) => method === 'POST').map(({ body }) => body)

  for (const [collection, kind] of [
    ['databases', 'database'],
    ['logical-databases', 'database'],
    ['object-stores', 'object-store'],
  ] as const) {
    it(`finds out that a name is one of ${collection}`, async () => {
      desk.service.on(`GET /${collection}/shop`, { json: recordOf() })
      const { code, out, err } = await desk.signedIn(['apps', 'attach', 'web', 'shop'])
      expect([code, err, sent()]).to.deep.equal([0, '', [{ name: 'shop', kind }]])
      expect(out).to.equal(`Attached shop to web; it is given DATABASE_URL\n${detail} Deploy with \`svc deploy web\`\n`)
    })
  }
  it('reads no list when --kind is given', async () => {
    expect((await desk.signedIn(['apps', 'attach', 'web', 'shop', '--kind', 'object-store', '--json'])).code).to.equal(
      0,
    )
    expect(desk.service.routes()).to.deep.equal(['POST /apps/web/attach'])
  })
  it('says that nothing has the name, and asks when two have', async () => {
    const none = await desk.signedIn(['apps', 'attach', 'web', 'shop'])
    expect([none.code, none.err]).to.deep.equal([3, 'error: no database or bucket is called shop\n'])
    for (const collection of ['databases', 'object-stores'])
      desk.service.on(`GET /${collection}/shop`, { json: recordOf() })
    const two = await desk.signedIn(['apps', 'attach', 'web', 'shop'])
    expect([two.code, two.err]).to.deep.equal([
      2,
      'error: a database and a bucket are called shop: say which with --kind\n',
    ])
    expect(sent()).to.deep.equal([])
  })
  it('says why the attach is refused', async () => {
    desk.service.on('GET /databases/shop', { json: recordOf() })
    const error = 'the service already has a variable named DATABASE_URL'
    desk.service.on('POST /apps/web/attach', { status: 400, json: { error, code: 'invalid_request' } })
    expect(await desk.signedIn(['apps', 'attach', 'web', 'shop'])).to.deep.include({
      code: 1,
      err: `error: ${error}\n`,
    })
    desk.service.on('GET /object-stores/shop', { status: 502, json: { error: 'away', code: 'internal_error' } })
    expect(await desk.signedIn(['apps', 'attach', 'web', 'shop'])).to.deep.include({ code: 1, err: 'error: away\n' })
  })
})
