/** Queries on a real mariadb: what is read and written, and what a hostile statement gets. */
import { expect } from 'chai'
import type { LoginAt } from '../../../outside/databases/connect.ts'
import { queryMysql } from '../../../outside/databases/query/mysql.ts'
import { eventually } from '../../cluster/eventually.ts'
import { type Engine, engineWithinMs, startMariadb } from '../../harness/engines.ts'
import { createAsking } from './asking.ts'

const password = 'of-the-shop-9c1e'

describe('A query on mysql', () => {
  let server: Engine
  let at: LoginAt
  const { query, refusal } = createAsking(queryMysql, () => at)

  before(async function () {
    this.timeout(2 * engineWithinMs)
    server = await startMariadb()
    const { host, port, admin } = server
    const made = `CREATE DATABASE shop; CREATE USER shop@'%' IDENTIFIED BY '${password}'; GRANT ALL ON shop.* TO shop@'%'`
    expect((await server.sql(admin, '', made)).stderr).to.equal('')
    at = { host, port, database: 'shop', username: 'shop', password }
    for (const statement of [
      'CREATE TABLE orders (id int PRIMARY KEY, note text)',
      "INSERT INTO orders SELECT seq, CONCAT('order ', seq) FROM seq_1_to_500",
      'CREATE FUNCTION sell() RETURNS int MODIFIES SQL DATA BEGIN DELETE FROM orders; RETURN 1; END',
      'CREATE PROCEDURE clear_all() BEGIN COMMIT; SET SESSION TRANSACTION READ WRITE; DELETE FROM orders; END',
    ])
      await query(statement, { write: true })
  })
  after(async () => await server?.stop())

  const asAdmin = async (text: string): Promise<string> => (await server.sql(server.admin, 'shop', text)).stdout
  const count = () => asAdmin('SELECT count(*) FROM orders')

  it('answers with columns, types and values that JSON holds exactly', async () => {
    const values = `SELECT CAST(1 AS int) AS small, 9007199254740993 AS large, 1.10 AS exact, 0.5e0 AS half, NULL AS nothing,
      'ä' AS word, TIMESTAMP('2026-01-31 10:00:00') AS moment, x'00ff' AS bytes, id FROM orders WHERE id = 1`
    const { columns, rows, truncated } = await query(values)
    expect(columns.map(({ name }) => name)).to.deep.equal([
      'small',
      'large',
      'exact',
      'half',
      'nothing',
      'word',
      'moment',
      'bytes',
      'id',
    ])
    expect(columns.map(({ type }) => type)).to.include.members(['longlong', 'newdecimal', 'double', 'datetime', 'long'])
    expect(rows.map((row) => row.slice(1))).to.deep.equal([
      ['9007199254740993', '1.10', 0.5, null, 'ä', '2026-01-31 10:00:00', '0x00ff', 1],
    ])
    expect(truncated).to.equal(false)
    for (const statement of ['SHOW TABLES', 'DESCRIBE orders', '# a word before\n(SELECT 1)'])
      expect((await query(statement)).rows, statement).not.to.deep.equal([])
  })

  it('hands out so many rows, and so many bytes of them', async () => {
    const many = await query('SELECT id FROM orders ORDER BY id')
    expect([many.rows.length, many.truncated]).to.deep.equal([100, true])
    const exact = await query('SELECT id FROM orders ORDER BY id LIMIT 100')
    expect([exact.rows.length, exact.truncated]).to.deep.equal([100, false])
    const wide = await query("SELECT repeat('x', 30000) FROM orders")
    expect([wide.rows.length, wide.truncated]).to.deep.equal([2, true])
    expect(await refusal("SELECT repeat('x', 16000000)")).to.equal('the answer is larger than 100 rows or 64 KiB')
  })

  it('writes only when that is asked for, and says how many rows', async () => {
    const insert = "INSERT INTO orders VALUES (1000, 'new')"
    expect(await refusal(insert)).to.match(
      /^a query that only reads begins with SELECT, .*; ask with write for others$/,
    )
    expect(await count()).to.equal('500')
    expect(await query(insert, { write: true })).to.deep.equal({
      columns: [],
      rows: [],
      truncated: false,
      affected: 1,
    })
    expect(await count()).to.equal('501')
    expect(await query('DELETE FROM orders WHERE id = 1000', { write: true })).to.deep.include({ affected: 1 })
    const returning = "INSERT INTO orders SELECT seq, 'x' FROM seq_2000_to_2500 RETURNING id"
    expect(await refusal(returning, { write: true })).to.equal(
      'the answer is larger than 100 rows or 64 KiB; nothing was written',
    )
    expect(await count()).to.equal('500')
  })

  it('a read stays a read, whatever the statement tries', async () => {
    for (const statement of [
      'COMMIT; DROP TABLE orders',
      'SELECT 1; DROP TABLE orders',
      'SELECT sell()',
      'CALL clear_all()',
      '/*! CALL clear_all() */',
      '/*M! CALL clear_all() */',
      '/* /* */ CALL clear_all() /* */ */ SELECT 1',
      'SET SESSION TRANSACTION READ WRITE',
      'TRUNCATE orders',
      "SELECT 1 INTO OUTFILE '/tmp/svc-was-here'",
      "LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE orders",
      '-- SELECT\nDELETE FROM orders',
    ]) {
      const said = await refusal(statement)
      expect(said, statement).to.match(/begins with SELECT|READ ONLY transaction|SQL syntax|Access denied/)
      expect(await count(), statement).to.equal('500')
    }
  })

  it('no server and no statement reads a file of this process', async () => {
    const load = "LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE orders"
    expect(await refusal(load, { write: true })).to.match(/LOCAL|not allowed|disabled/i)
    expect(await count()).to.equal('500')
  })

  it('refuses in the words of the server, and never says the password', async () => {
    expect(await refusal('SELECT * FROM nowhere')).to.equal("Table 'shop.nowhere' doesn't exist (ER_NO_SUCH_TABLE)")
    expect(await refusal(`SELECT \`${password}\``))
      .to.include('***')
      .and.not.include(password)
    expect(await refusal('SELECT 1', { as: { ...at, password: 'wrong-word' } }))
      .to.include('the server refuses the login')
      .and.not.include('wrong-word')
    expect(await refusal('SELECT 1', { as: { ...at, port: 1 } })).to.include('does not answer on port 1')
  })

  const running = () =>
    asAdmin("SELECT count(*) FROM information_schema.processlist WHERE user = 'shop' AND command = 'Query'")

  it('ends at the server when its time is over', async () => {
    expect(await refusal('SELECT sleep(600)', { limits: { withinMs: 1000 } })).to.match(
      /longer than 1 seconds|max_statement_time/,
    )
    await eventually('nothing of it is left', async () => (await running()) === '0')
  })

  it('ends at the server when the caller goes, and writes nothing then', async () => {
    for (const [statement, write] of [
      ['SELECT count(*) FROM orders WHERE sleep(600) = 0', false],
      ['DELETE FROM orders WHERE sleep(600) = 0', true],
    ] as const) {
      const caller = new AbortController()
      const said = refusal(statement, { write, signal: caller.signal })
      await eventually('it runs', async () => (await running()) === '1')
      caller.abort()
      expect(await said).to.equal('the query was cancelled')
      await eventually('nothing of it is left', async () => (await running()) === '0')
      expect(await count()).to.equal('500')
    }
  })
})
