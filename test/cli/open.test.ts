/** `svc open` without a terminal prints the address: of a service, or the dashboard's page of anything else. */
import { expect } from 'chai'
import { recordOf } from '../client/records.ts'
import { openDesk, type Desk } from './run-svc.ts'

describe('svc open', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
    desk.service.on('GET /apps/web', { json: recordOf({ kind: 'app', name: 'web', url: 'https://web.example.com' }) })
    desk.service.on('GET /apps/inside', { json: recordOf({ kind: 'app', name: 'inside' }) })
    desk.service.on('GET /databases/calm-otter', { json: recordOf() })
    desk.service.on('GET /object-stores/photos', { json: recordOf({ kind: 'object-store', name: 'photos' }) })
    const project = recordOf({ kind: 'project', name: 'proj-1a2b3c4d', displayName: 'shop' })
    desk.service.on('GET /projects', { json: { items: [project.resource] } })
    desk.service.on('GET /projects/proj-1a2b3c4d', { json: project })
  })
  afterEach(async () => await desk.close())

  const pages: [string, string][] = [
    ['open web', 'https://web.example.com/'],
    ['open web --dashboard', '/services/web'],
    ['open inside', '/services/inside'],
    ['open calm-otter', '/databases/calm-otter'],
    ['open photos', '/buckets/photos'],
    ['open shop', '/projects/proj-1a2b3c4d'],
    ['open -p shop', '/projects/proj-1a2b3c4d'],
    ['open', '/'],
  ]
  for (const [args, wanted] of pages) {
    it(`of "${args}" prints ${wanted}`, async () => {
      const { code, out, err } = await desk.signedIn(args.split(' '))
      expect([code, err]).to.deep.equal([0, ''])
      expect(out).to.equal(`${wanted.startsWith('/') ? desk.service.url : ''}${wanted}\n`)
    })
  }
  it('prints it as JSON', async () => {
    expect(JSON.parse((await desk.signedIn(['open', 'web', '--json'])).out)).to.deep.equal({
      url: 'https://web.example.com/',
    })
  })
  it('ends with 3 for a name that nothing has', async () => {
    desk.service.on('GET /projects', { json: { items: [] } })
    const { code, err } = await desk.signedIn(['open', 'nope'])
    expect([code, err]).to.deep.equal([3, 'error: no service, database, bucket or project is called nope\n'])
  })
})
