/** Queries on a real redis and a real rqlite. */
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { expect } from 'chai'
import type { LoginAt } from '../../../outside/databases/connect.ts'
import { queryRedis } from '../../../outside/databases/query/redis.ts'
import { queryRqlite } from '../../../outside/databases/query/rqlite.ts'
import { type BackedEngine, startBacked, startRqliteServer } from '../../harness/backed-engines.ts'
import { engineWithinMs } from '../../harness/engines.ts'
import { createAsking } from './asking.ts'

const loginOf = ({ host, port, pod }: BackedEngine): LoginAt => ({
  host,
  port,
  database: '',
  ...(pod.login as { username: string; password: string }), // both engines have one
})

describe('A query on redis', () => {
  let server: BackedEngine
  const { query, refusal } = createAsking(queryRedis, () => loginOf(server))

  before(async function () {
    this.timeout(4 * engineWithinMs)
    server = await startBacked('redis')
    for (const command of ['SET kept word', 'RPUSH list a b c', 'HSET hash field "two words"', 'SET count 7'])
      await query(command, { write: true })
  })
  after(async () => await server?.stop())

  it('answers with a row for each element, and values by their kind', async () => {
    expect(await query('GET kept')).to.deep.equal({
      columns: [{ name: 'value', type: 'string' }],
      rows: [['word']],
      truncated: false,
    })
    expect((await query('LRANGE list 0 -1')).rows).to.deep.equal([['a'], ['b'], ['c']])
    expect((await query("HGETALL 'hash'")).rows).to.deep.equal([['field'], ['two words']])
    expect((await query('EXISTS kept count')).rows).to.deep.equal([[2]])
    expect((await query('GET nothing')).rows).to.deep.equal([[null]])
    expect((await query('SCAN 0 MATCH kep*')).rows[1]).to.deep.equal(['["kept"]'])
    expect((await query('OBJECT ENCODING count')).rows).to.deep.equal([['int']])
  })

  it('without write runs only what redis flags as read-only', async () => {
    for (const command of [
      'SET kept other',
      'DEL kept',
      "EVAL \"return redis.call('DEL', 'kept')\" 0",
      'FLUSHALL',
      'CONFIG GET requirepass',
      'SORT list ALPHA STORE sorted',
      'MULTI',
      'SUBSCRIBE news',
      'SHUTDOWN',
    ])
      expect(await refusal(command), command).to.match(
        /^redis does not call [A-Z ]+ read-only; ask with write to run it$/,
      )
    expect(await refusal("EVAL_RO \"return redis.call('DEL', 'kept')\" 0")).to.include('Write commands are not allowed')
    expect(await refusal('NONSENSE 1')).to.equal('redis has no command NONSENSE')
    expect((await query('GET kept')).rows).to.deep.equal([['word']])
  })

  it('one text is one command, whatever line ends and quotes it holds', async () => {
    expect((await query('GET "kept\\r\\nFLUSHALL"')).rows).to.deep.equal([[null]])
    expect((await query('GET kept')).rows).to.deep.equal([['word']])
    expect(await refusal('GET "kept')).to.equal('the quotes of the command do not end')
    expect((await query('SET said "it\'s \\"so\\""', { write: true })).rows).to.deep.equal([['OK']])
    expect((await query('GET said')).rows).to.deep.equal([['it\'s "so"']])
  })

  it('keeps its limits', async () => {
    await query("EVAL \"for i = 1, 200000 do redis.call('RPUSH', 'many', i) end\" 0", { write: true })
    const many = await query('LRANGE many 0 499')
    expect([many.rows.length, many.truncated]).to.deep.equal([100, true])
    expect(await refusal('LRANGE many 0 -1', { limits: { bytes: 1 } })).to.include('the answer is larger than')
    await query('SETRANGE large 50000000 x', { write: true })
    expect(await refusal('GET large')).to.equal('the answer is larger than 64 KiB')
    expect(await refusal('XREAD BLOCK 0 STREAMS news $', { limits: { withinMs: 300 } })).to.equal(
      'the query took longer than 0.3 seconds',
    )
    const caller = new AbortController()
    const said = refusal('XREAD BLOCK 0 STREAMS news $', { signal: caller.signal })
    caller.abort()
    expect(await said).to.equal('the query was cancelled')
  })

  it('refuses in the words of redis, and never says the password', async () => {
    const at = loginOf(server)
    expect(await refusal('LRANGE kept 0 1')).to.include('WRONGTYPE')
    expect(await refusal('GET kept', { as: { ...at, password: 'wrong-word' } }))
      .to.include('the server refuses the login: WRONGPASS')
      .and.not.include('wrong-word')
    expect(await refusal('GET kept', { as: { ...at, port: 1 } })).to.equal(
      '127.0.0.1 does not answer on port 1: ECONNREFUSED',
    )
  })

  it('a server that is no redis is said not to answer', async () => {
    const other = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo // listens on TCP, so it has a port
    expect(await refusal('GET kept', { as: { ...loginOf(server), port } })).to.include(
      `does not answer on port ${port}`,
    )
    other.close()
  })
})

describe('A query on sqlite', () => {
  let server: Awaited<ReturnType<typeof startRqliteServer>>
  let at: LoginAt
  const { query, refusal } = createAsking(queryRqlite, () => at)

  before(async function () {
    this.timeout(4 * engineWithinMs)
    server = await startRqliteServer()
    const { host, port, username, password } = server
    at = { host, port, database: '', username, password }
    await query('CREATE TABLE orders (id INTEGER PRIMARY KEY, note TEXT)', { write: true })
    await query("INSERT INTO orders VALUES (1, 'one'), (9007199254740993, 'large')", { write: true })
  })
  after(async () => await server?.stop())

  it('answers with columns, types and values that JSON holds exactly', async () => {
    expect(await query('SELECT id, note, NULL AS missing, 0.5 AS half FROM orders ORDER BY id')).to.deep.equal({
      columns: [
        { name: 'id', type: 'integer' },
        { name: 'note', type: 'text' },
        { name: 'missing', type: '' },
        { name: 'half', type: 'real' },
      ],
      rows: [
        [1, 'one', null, 0.5],
        ['9007199254740993', 'large', null, 0.5],
      ],
      truncated: false,
    })
  })

  it('writes only when that is asked for, one statement at a time', async () => {
    expect(await query("INSERT INTO orders VALUES (2, 'a;b')", { write: true })).to.deep.include({ affected: 1 })
    for (const statement of [
      'DELETE FROM orders',
      'WITH gone AS (SELECT 1) DELETE FROM orders',
      "VACUUM INTO '/tmp/svc-was-here'",
      "ATTACH '/tmp/svc-was-here' AS other",
      'PRAGMA user_version = 7',
    ])
      expect(await refusal(statement), statement).to.match(/begins with SELECT|attempt to change|readonly/)
    for (const write of [false, true])
      expect(await refusal("SELECT 1; DROP TABLE orders -- it's", { write })).to.equal('a query is one statement')
    expect((await query("SELECT count(*) FROM orders WHERE note <> ';';  -- the end; really")).rows).to.deep.equal([
      [3],
    ])
    expect(await query('DELETE FROM orders WHERE id = 2', { write: true })).to.deep.include({ affected: 1 })
  })

  it('keeps its limits', async () => {
    const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT i FROM n'
    const many = await query(numbers)
    expect([many.rows.length, many.truncated]).to.deep.equal([100, true])
    expect(await refusal('SELECT hex(zeroblob(20000000))')).to.include('the answer is larger than')
    const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
    expect(await refusal(endless, { limits: { withinMs: 500 } })).to.match(/longer than 0.5 seconds|timeout/)
  })

  it('refuses in the words of sqlite, and never says the password', async () => {
    expect(await refusal('SELECT * FROM nowhere')).to.equal('no such table: nowhere')
    expect(await refusal('SELECT 1', { as: { ...at, password: 'wrong-word' } })).to.not.include('wrong-word')
    expect(await refusal('SELECT 1', { as: { ...at, port: 1 } })).to.equal(
      '127.0.0.1 does not answer on port 1: ECONNREFUSED',
    )
  })
})
