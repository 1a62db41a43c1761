/** The commands of databases, logical databases and buckets: their requests and their output. */
import { expect } from 'chai'
import { recordOf } from '../client/records.ts'
import { dataCommandRows, made, place } from './data-command-rows.ts'
import { openDesk, type Desk } from './run-svc.ts'

describe('commands of databases and buckets', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
  })
  afterEach(async () => await desk.close())

  for (const { does, args, route, answer = { ok: true }, body, query = '', out, err = '' } of dataCommandRows) {
    it(does, async () => {
      desk.service.on(route, { json: answer })
      const [method, path] = route.split(' ')
      const deletes = method === 'DELETE'
      if (deletes) desk.service.on(`GET ${path}`, { json: recordOf({ name: 'shop' }) })
      const where = `project proj-1a2b3c4d, environment production, ${desk.service.url}`
      const nouns = { '/logical-databases': 'logical database', '/object-stores': 'bucket' }
      const noun = Object.entries(nouns).find(([start]) => path?.startsWith(start) === true)?.[1] ?? 'database'
      const warning = deletes ? `Deleting ${noun} shop (${where}) for good\n` : ''
      expect(await desk.signedIn(args)).to.deep.include({ code: 0, err: warning + err, out })
      expect(desk.service.asked.map((it) => [it.method, it.path, it.body])).to.deep.equal([
        ...(deletes ? [['GET', path, undefined]] : []),
        [method, `${path}${query}`, body],
      ])
      expect(JSON.parse((await desk.signedIn([...args, '--json'])).out)).to.deep.equal(answer)
    })
  }

  it('saves settings, and says whether they wait for a deploy', async () => {
    desk.service.on('PATCH /databases/shop', { json: { ok: true, applied: 'live', liveChanged: false } })
    desk.service.on('GET /databases/shop', { json: recordOf({ pendingChanges: 1 }) }, { json: recordOf() })
    const pending = await desk.signedIn(['databases', 'set', 'shop', '--storage', '20Gi', '--copies', '3'])
    expect(desk.service.asked[0]?.body).to.deep.equal({ storageSize: '20Gi', clusterSize: 3 })
    expect(pending.out).to.equal(
      'Saved storageSize, clusterSize of shop; what waits takes effect with the next deploy: `svc databases deploy shop`\n',
    )
    const live = await desk.signedIn(['databases', 'set', 'shop', '--no-backups'])
    expect(desk.service.asked[2]?.body).to.deep.equal({ backups: 'off' })
    expect(live.out).to.equal('Saved backups of shop\n')
    await desk.signedIn(['databases', 'set', 'shop', '--run-on-tags', 'fast', 'big'])
    expect(desk.service.asked[4]?.body).to.deep.equal({ runOnTags: ['fast', 'big'] })
  })
  it('saves settings of a bucket and deploys them', async () => {
    desk.service.on('PATCH /object-stores/shop', { json: { ok: true } })
    desk.service.on('POST /object-stores/shop/deploy', { json: { ok: true } })
    const { out } = await desk.signedIn(['stores', 'set', 'shop', '--bucket', '', '--deploy'])
    expect(desk.service.asked[0]?.body).to.deep.equal({ bucket: '' })
    expect(desk.service.routes()).to.deep.equal(['PATCH /object-stores/shop', 'POST /object-stores/shop/deploy'])
    expect(out).to.equal('Saved bucket of shop; its deploy was accepted\n')
  })
  it('says so when an older service saves a draft instead of deploying', async () => {
    desk.service.on('POST /databases', { json: made('databases') })
    const { code, err } = await desk.signedIn(['databases', 'create', '--wait', ...place])
    expect([code, err]).to.deep.equal([1, 'error: shop was saved as a draft; the service did not deploy it\n'])
  })
  it('deletes nothing that is not confirmed', async () => {
    const collections = { databases: 'databases', logical: 'logical-databases', stores: 'object-stores' }
    for (const [noun, collection] of Object.entries(collections)) {
      desk.service.on(`GET /${collection}/shop`, { json: recordOf({ name: 'shop' }) })
      const { code, err } = await desk.signedIn([noun, 'delete', 'shop'], { tty: true, input: 'shpo\n' })
      expect(code).to.equal(1)
      expect(err).to.include('project proj-1a2b3c4d, environment production')
      expect((await desk.signedIn([noun, 'delete', 'shop', '--wait'])).code).to.equal(2)
    }
    expect(desk.service.asked.every(({ method }) => method === 'GET')).to.equal(true)
  })
  it('lists and shows logical databases, and how they are reached', async () => {
    const item = recordOf({ kind: 'logical-database', details: { server: 'main', database: 'orders' } })
    desk.service.on('GET /logical-databases', { json: { items: [item.resource] } })
    expect((await desk.signedIn(['logical', 'ls'])).out.split('\n')).to.deep.equal([
      'NAME         PROJECT         ENVIRONMENT   SERVER   DATABASE   STATE   MESSAGE',
      'calm-otter   proj-1a2b3c4d   production    main     orders     ready',
      '',
    ])
    desk.service.on('GET /logical-databases', { json: { items: [] } })
    expect(await desk.signedIn(['logical', 'list'])).to.include({ code: 0, err: 'no logical databases here\n' })
    desk.service.on('GET /logical-databases/calm-otter', { json: item })
    expect((await desk.signedIn(['logical', 'get', 'calm-otter'])).out).to.include('orders')
    const connection = { keys: [], host: 'main-rw', port: '5432', database: 'orders', username: 'u' }
    desk.service.on('GET /logical-databases/calm-otter/connection', { json: connection })
    const plain = await desk.signedIn(['logical', 'connection', 'calm-otter'])
    expect(plain.out).to.equal('host:     main-rw\nport:     5432\ndatabase: orders\nusername: u\n')
    await desk.signedIn(['logical', 'connection', 'calm-otter', '--reveal'])
    expect(desk.service.asked.at(-1)?.path).to.equal('/logical-databases/calm-otter/connection?reveal=on')
  })
  it('lists backups with when each was proven, and the moment that its WAL led to by then', async () => {
    const [at, replayedTo] = ['2026-01-31T12:00:00Z', '2026-01-31T11:59:00Z']
    const archive = (name: string, more: object) => ({
      ...{ name, database: 'db', databaseUid: 'u', project: 'proj-1a2b3c4d', environment: 'production' },
      ...{ engine: 'postgres', version: '16', trigger: 'Manual', state: 'ready', message: '', createdAt: at, ...more },
    })
    const drill = (outcome: string, more: object = {}) => ({ drill: { asked: at, at, outcome, message: '', ...more } })
    const items = [
      archive('new', {}),
      archive('torn', drill('Failed')),
      archive('loaded', { lastProvenAt: at, ...drill('Proven') }),
      archive('replayed', { lastProvenAt: at, ...drill('Proven', { replayedTo }) }),
      archive('alone', {
        firstRestorePoint: at,
        lastRestorePoint: at,
        noLaterMoments: 'the server keeps no binary log',
      }),
    ]
    desk.service.on('GET /backup-archives', { json: { items } })
    const { out } = await desk.signedIn(['databases', 'archives'])
    const proven = out.split('\n').map((line) => line.split(/ {2,}/).at(-1))
    expect(proven.slice(2, 5)).to.deep.equal(['failed', at, `${at}, replayed to ${replayedTo}`])
    expect(out.split('\n')[5]).to.include('the server keeps no binary log')
  })
})
