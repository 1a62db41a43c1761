/** Queries on databases over HTTP, on a real postgres: who may ask, what is answered, and what is logged of it. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { resolveDatabase } from '../../api/databases/service-address.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { type DataWorld, makeConnectionSecret, openDataWorld } from './data-world.ts'
import { eventually } from '../cluster/eventually.ts'
import { type Engine, engineWithinMs, startPostgres } from '../harness/engines.ts'

describe('POST /api/databases/{db}/query', () => {
  let world: DataWorld
  let server: Engine
  let name: string
  const secret = 'words-of-a-customer'

  before(async function () {
    this.timeout(2 * engineWithinMs)
    world = await openDataWorld()
    server = await startPostgres()
    name = await world.create('/databases', { deploy: true })
    await connect(name, server)
    expect((await ask({ query: 'CREATE TABLE orders (id int, note text)', write: true })).status).to.equal(200)
  })
  after(async () => {
    await world?.api.stop()
    await server?.stop()
  })

  async function connect(db: string, { host, port, admin }: Engine): Promise<void> {
    const uid = (await world.record<KubeObject>('database', db))?.metadata.uid
    await makeConnectionSecret(world, db, uid, { host, port: String(port), database: 'postgres', ...admin })
  }
  const ask = (json: object, as: object = world.cookie, signal?: AbortSignal) =>
    world.api.ask('POST', `/api/v1/databases/${name}/query`, {
      json,
      ...as,
      ...(signal === undefined ? {} : { signal }),
    })
  const running = async (): Promise<number> => Number((await server.sql(server.admin, 'postgres', sleepers)).stdout)
  const sleepers = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'"

  it('answers a read as JSON, by a form and by the versioned API, as `query` and as `sql`', async () => {
    const { body, headers } = await ask({ query: "SELECT 7 AS id, 'a' AS note" })
    expect(body).to.deep.include({
      columns: [
        { name: 'id', type: 'int4' },
        { name: 'note', type: 'text' },
      ],
      rows: [[7, 'a']],
      truncated: false,
    })
    expect(body.elapsedMs).to.be.a('number')
    expect(headers.get('cache-control')).to.equal('no-store')
    const form = await world.api.ask('POST', `/api/databases/${name}/query`, {
      ...world.cookie,
      form: { sql: 'SELECT 7' },
    })
    expect(form.body.rows).to.deep.equal([[7]])
  })

  it('writes with `write` alone, and says how many rows', async () => {
    const insert = "INSERT INTO orders VALUES (1, 'new')"
    expect((await ask({ query: insert })).body.error).to.include('ask with write for others')
    expect((await ask({ query: insert, write: true })).body).to.deep.include({ affected: 1, rows: [] })
    expect((await ask({ query: 'SELECT * FROM orders' })).body.rows).to.deep.equal([[1, 'new']])
  })

  it('refuses in the words of postgres as a 400', async () => {
    const { status, body } = await ask({ query: 'SELECT * FROM nowhere' })
    expect([status, body]).to.deep.equal([
      400,
      { error: 'relation "nowhere" does not exist (42P01)', code: 'invalid_request' },
    ])
    expect((await ask({})).body.error).to.equal('query is required')
    expect((await ask({ query: 'x'.repeat(65_537) })).body.error).to.equal('query must be at most 65536 characters')
    expect((await ask({ query: 'SELECT 1', write: 'maybe' })).body.error).to.equal('write must be on or off')
  })

  it('hands out 1000 rows and one mebibyte', async () => {
    const rows = await ask({ query: 'SELECT n FROM generate_series(1, 1001) n' })
    expect([rows.body.rows.length, rows.body.truncated]).to.deep.equal([1000, true])
    const wide = await ask({ query: "SELECT repeat('x', 100000) FROM generate_series(1, 20)" })
    expect([wide.body.rows.length, wide.body.truncated]).to.deep.equal([10, true])
  })

  it('is for admins: no viewer, observer or project token', async () => {
    for (const as of [world.viewer, world.observer, world.projectToken])
      expect((await ask({ query: 'SELECT 1' }, as)).status).to.equal(403)
    expect((await ask({ query: 'SELECT 1' }, {})).status).to.equal(401)
  })

  it('is logged with the digest of the statement before and after, and never with its text or the password', async () => {
    const statement = `INSERT INTO orders VALUES (2, '${secret}')`
    const logged = world.api.logLines().length
    await ask({ query: statement, write: true })
    await ask({ query: `SELECT '${secret}'::int` })
    const audited = world.api
      .logLines()
      .slice(logged)
      .filter((line) => line['audit'] === true)
    const digest = `sha256:${createHash('sha256').update(statement).digest('hex')}`
    for (const [at, result] of ['begun', 'done'].entries())
      expect(audited[at]).to.deep.include({
        actor: 'admin',
        operation: 'databases.query',
        resource: { db: name, statement: digest, write: 'on' },
        result,
      })
    expect(audited.slice(2).map(({ result }) => result)).to.deep.equal(['begun', 'refused'])
    const all = JSON.stringify(world.api.logLines())
    expect(all).not.to.include(secret)
    expect(all).not.to.include(server.admin.password)
  })

  it('ends at the server when the caller goes, and a caller may run 4 queries at once', async () => {
    const callers = Array.from({ length: 4 }, () => new AbortController())
    const gone = callers.map(({ signal }) =>
      ask({ query: 'SELECT pg_sleep(600)' }, world.cookie, signal).then(
        () => 'answered',
        () => 'gone',
      ),
    )
    await eventually('four run', async () => (await running()) === 4)
    const fifth = await ask({ query: 'SELECT 1' })
    expect([fifth.status, fifth.body.error]).to.deep.equal([429, 'a caller may run 4 queries at once'])
    for (const caller of callers) caller.abort()
    expect(await Promise.all(gone)).to.deep.equal(['gone', 'gone', 'gone', 'gone'])
    await eventually('none runs', async () => (await running()) === 0)
    await eventually('there is capacity again', async () => (await ask({ query: 'SELECT 1' })).status === 200)
  })

  it('finds a database of the cluster by its Service, whatever names this machine knows', async () => {
    const namespace = `${world.project}-production`
    const service = `${name}-rw`
    const made = await world.client.create<KubeObject & { spec: object }>(coreTypes.service, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: service, namespace },
      spec: { ports: [{ port: 5432 }] },
    })
    const { clusterIP } = made.spec as { clusterIP: string } // the cluster gives each Service one
    expect(await resolveDatabase(world.client, `${service}.${namespace}.svc`)).to.deep.equal([clusterIP])
    expect(await resolveDatabase(world.client, '127.0.0.1')).to.deep.equal(['127.0.0.1'])
  })

  it('says what does not answer, without the password', async () => {
    const away = await world.create('/databases', { deploy: true })
    await connect(away, { ...server, port: 9 })
    const { status, body } = await world.ask('POST', `/databases/${away}/query`, { query: 'SELECT 1' })
    expect([status, body.error]).to.deep.equal([400, '127.0.0.1 does not answer on port 9: ECONNREFUSED'])
  })
})
