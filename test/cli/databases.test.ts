/** `svc databases` and `svc stores`: their requests and their output. */
import { expect } from 'chai'
import { openDesk, type Desk } from './run-svc.ts'

const item = (kind: string, details: object, changes: object = {}) => ({
  kind,
  name: 'calm-otter',
  displayName: 'calm-otter',
  project: 'proj-1a2b3c4d',
  environment: 'production',
  state: 'pending',
  message: 'waiting for provisioning',
  url: '',
  pendingChanges: 0,
  createdAt: '2026-11-21T13:00:00Z',
  details,
  ...changes,
})
const database = item('database', {
  engine: 'postgres',
  highAvailability: false,
  placement: 'InCluster',
  version: '16',
})
const store = item('object-store', { placement: 'InCluster', buckets: ['photos'] })
const connection = {
  keys: ['host', 'password'],
  host: 'calm-otter-rw',
  port: '5432',
  database: 'shop',
  username: 'app',
}
const revealed = {
  ...connection,
  password: 'secret-7f',
  uri: 'postgresql://app:secret-7f@calm-otter-rw:5432/shop',
  revealed: true,
}

describe('svc databases and svc stores', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
  })
  afterEach(async () => await desk.close())

  it('lists databases of a project and an environment', async () => {
    desk.service.on('GET /databases', { json: { items: [database] } })
    const { out } = await desk.signedIn(['-p', 'proj-1a2b3c4d', '-e', 'production', 'databases', 'ls'])
    expect(desk.service.asked.at(-1)?.path).to.equal('/databases?project=proj-1a2b3c4d&environment=production')
    expect(out.split('\n')).to.deep.equal([
      'NAME         PROJECT         ENVIRONMENT   ENGINE     VERSION   STATE     MESSAGE',
      'calm-otter   proj-1a2b3c4d   production    postgres   16        pending   waiting for provisioning',
      '',
    ])
    desk.service.on('GET /databases', { json: { items: [] } })
    expect(await desk.signedIn(['db', 'list'])).to.include({ code: 0, out: '', err: 'no databases here\n' })
  })

  it('connects a server elsewhere with a password from standard input, and gives it another login', async () => {
    const place = ['-p', 'proj-1a2b3c4d', '-e', 'production']
    const created = { ok: true, name: 'orders', kind: 'databases', deployed: true }
    desk.service.on('POST /databases/connect', { json: created })
    const login = ['--host', 'db.example.com', '--port', '6432', '--username', 'app', '--password-stdin']
    const args = [...place, 'databases', 'connect', 'orders', ...login, '--ssl-mode', 'require', '--database', 'shop']
    const { code, out } = await desk.signedIn(args, { input: 'pass word\n' })
    expect([code, out]).to.deep.equal([
      0,
      'Created orders; its deploy was accepted, follow it with `svc databases get orders`\n',
    ])
    expect(desk.service.asked.at(-1)?.body).to.deep.equal({
      project: 'proj-1a2b3c4d',
      environment: 'production',
      name: 'orders',
      host: 'db.example.com',
      port: 6432,
      username: 'app',
      password: 'pass word',
      sslMode: 'require',
      databaseName: 'shop',
    })
    desk.service.on('POST /databases/orders/login', { json: { ok: true } })
    const set = ['databases', 'set-login', 'orders', '--password-stdin']
    expect((await desk.signedIn(set, { input: 'other' })).out).to.equal(
      'Saved the login of orders; follow it with `svc databases get orders`\n',
    )
    expect(desk.service.asked.at(-1)?.body).to.deep.equal({ password: 'other' })
    const noFile = await desk.signedIn([...set, '--ca-file', '/nowhere/ca.pem'], { input: 'other' })
    expect([noFile.code, noFile.err]).to.deep.equal([2, 'error: /nowhere/ca.pem cannot be read\n'])
  })

  it('shows a database', async () => {
    desk.service.on('GET /databases/calm-otter', { json: { resource: database, spec: {}, status: {} } })
    const { out } = await desk.signedIn(['databases', 'get', 'calm-otter'])
    for (const part of ['calm-otter', 'waiting for provisioning', 'postgres', '2026-11-21 13:00:00Z'])
      expect(out).to.include(part)
  })

  it('shows how a database is reached, and its password only when asked to', async () => {
    desk.service.on('GET /databases/calm-otter/connection', { json: connection })
    const plain = await desk.signedIn(['databases', 'connection', 'calm-otter'])
    expect(desk.service.asked.at(-1)?.path).to.equal('/databases/calm-otter/connection')
    expect(plain.out).to.include('calm-otter-rw').and.include('5432')
    desk.service.on('GET /databases/calm-otter/connection', { json: revealed })
    const shown = await desk.signedIn(['databases', 'connection', 'calm-otter', '--reveal'])
    expect(desk.service.asked.at(-1)?.path).to.equal('/databases/calm-otter/connection?reveal=on')
    expect(shown.out).to.include('secret-7f')
    expect(
      JSON.parse((await desk.signedIn(['databases', 'connection', 'calm-otter', '--reveal', '--json'])).out),
    ).to.deep.equal(revealed)
  })

  it('runs a statement and prints what it answers as a table, or as JSON', async () => {
    const columns = [
      { name: 'id', type: 'int4' },
      { name: 'note', type: 'text' },
    ]
    const view = {
      columns,
      rows: [
        [1, 'one'],
        [2, null],
      ],
      truncated: false,
      elapsedMs: 3,
    }
    const route = 'POST /databases/calm-otter/query'
    desk.service.on(route, { json: view })
    const query = ['db', 'query', 'calm-otter']
    const shown = await desk.signedIn([...query, 'SELECT 1'])
    expect(shown).to.deep.include({ code: 0, out: 'ID   NOTE\n1    one\n2    NULL\n', err: '' })
    expect(desk.service.asked.at(-1)?.body).to.deep.equal({ query: 'SELECT 1' })
    expect(JSON.parse((await desk.signedIn([...query, 'SELECT 1', '--json'])).out)).to.deep.equal(view)

    desk.service.on(route, { json: { ...view, truncated: true } })
    expect((await desk.signedIn([...query, 'SELECT 1'])).err).to.equal('only the first 2 rows; there are more\n')
    desk.service.on(route, { json: { columns: [], rows: [], truncated: false, affected: 3, elapsedMs: 3 } })
    const written = await desk.signedIn([...query, '--file', '-', '--write'], { input: 'DELETE FROM orders' })
    expect(written).to.include({ code: 0, out: '', err: '3 rows changed\n' })
    expect(desk.service.asked.at(-1)?.body).to.deep.equal({ query: 'DELETE FROM orders', write: true })
    desk.service.on(route, { json: { ...view, rows: [] } })
    expect((await desk.signedIn([...query, 'SELECT 1'])).err).to.equal('no rows\n')

    for (const wrong of [query, [...query, 'SELECT 1', '--file', '-'], [...query, '--file', '/nowhere/at-all']])
      expect((await desk.signedIn(wrong)).code).to.equal(2)
    const error = 'relation "nowhere" does not exist (42P01)'
    desk.service.on(route, { status: 400, json: { error, code: 'invalid_request' } })
    expect(await desk.signedIn([...query, 'SELECT 1'])).to.include({ code: 1, err: `error: ${error}\n` })
  })

  it('ends with 1 before setup has finished, 3 for an unknown name, 4 for a caller without the right', async () => {
    const rows: [number, number, string, string, string][] = [
      [400, 1, 'invalid_request', 'no connection details yet', ''],
      [404, 3, 'not_found', 'database not found', ''],
      [403, 4, 'forbidden', 'viewer role cannot access this', '; `svc whoami` shows what this login may do'],
    ]
    for (const [status, exit, code, error, advice] of rows) {
      desk.service.on('GET /databases/calm-otter/connection', { status, json: { error, code } })
      expect(await desk.signedIn(['databases', 'connection', 'calm-otter'])).to.include({
        code: exit,
        err: `error: ${error}${advice}\n`,
      })
    }
  })

  it('lists and shows buckets', async () => {
    desk.service.on('GET /object-stores', { json: { items: [store] } })
    expect((await desk.signedIn(['stores', 'list'])).out.split('\n')).to.deep.equal([
      'NAME         PROJECT         ENVIRONMENT   BUCKETS   STATE     MESSAGE',
      'calm-otter   proj-1a2b3c4d   production    photos    pending   waiting for provisioning',
      '',
    ])
    desk.service.on('GET /object-stores/calm-otter', { json: { resource: store, spec: {}, status: {} } })
    const shown = (await desk.signedIn(['buckets', 'get', 'calm-otter'])).out
    expect(shown).to.include('photos').and.not.include('["photos"]')
    desk.service.on('GET /object-stores', { json: { items: [] } })
    expect(await desk.signedIn(['stores', 'ls'])).to.include({ code: 0, err: 'no buckets here\n' })
  })
})
