/** Queries on a real postgres: what is read and written, and what a hostile statement gets. */
import { expect } from 'chai'
import type { LoginAt } from '../../../outside/databases/connect.ts'
import { queryPostgres } from '../../../outside/databases/query/postgres.ts'
import { eventually } from '../../cluster/eventually.ts'
import { type Engine, engineWithinMs, startPostgres } from '../../harness/engines.ts'
import { createAsking } from './asking.ts'

const password = 'of-the-shop-9c1e'

describe('A query on postgres', () => {
  let server: Engine
  let at: LoginAt
  const { query, refusal } = createAsking(queryPostgres, () => at)

  before(async function () {
    this.timeout(2 * engineWithinMs)
    server = await startPostgres()
    const { host, port, admin } = server
    for (const statement of [`CREATE ROLE shop LOGIN PASSWORD '${password}'`, 'CREATE DATABASE shop OWNER shop'])
      expect((await server.sql(admin, 'postgres', statement)).stderr).to.equal('')
    at = { host, port, database: 'shop', username: 'shop', password }
    for (const statement of [
      'CREATE TABLE orders (id int PRIMARY KEY, note text)',
      "INSERT INTO orders SELECT n, 'order ' || n FROM generate_series(1, 500) n",
      "CREATE FUNCTION sell() RETURNS int LANGUAGE sql AS 'DELETE FROM orders RETURNING 1'",
      "CREATE PROCEDURE clear() LANGUAGE plpgsql AS 'BEGIN COMMIT; DELETE FROM orders; END'",
      "CREATE TYPE mood AS ENUM ('calm')",
    ])
      await query(statement, { write: true })
  })
  after(async () => await server?.stop())

  const asAdmin = async (text: string): Promise<string> => (await server.sql(server.admin, 'shop', text)).stdout
  const count = () => asAdmin('SELECT count(*) FROM orders')

  it('answers with columns, types and values that JSON holds exactly', async () => {
    const values = `SELECT 1 AS small, 9007199254740993 AS large, 1.10 AS exact, 0.5::float8 AS half, 'NaN'::float8 AS nan,
      true AS flag, NULL AS nothing, 'ä' AS word, '2026-01-31 10:00:00+00'::timestamptz AS moment, '{"a": 1}'::jsonb AS doc,
      ARRAY[1,2] AS list, 'calm'::mood AS mood`
    const { columns, rows, truncated } = await query(values)
    expect(columns.map(({ name, type }) => `${name} ${type}`)).to.deep.equal([
      'small int4',
      'large int8',
      'exact numeric',
      'half float8',
      'nan float8',
      'flag bool',
      'nothing text',
      'word text',
      'moment timestamptz',
      'doc jsonb',
      'list integer[]',
      'mood mood',
    ])
    expect(rows.map((row) => row.toSpliced(8, 1))).to.deep.equal([
      [1, '9007199254740993', '1.10', 0.5, 'NaN', true, null, 'ä', '{"a": 1}', '{1,2}', 'calm'],
    ])
    expect(truncated).to.equal(false)
    expect((await query('SHOW transaction_read_only')).rows).to.deep.equal([['on']])
    expect((await query('-- a word before\n /* and /* one */ more */ (TABLE orders LIMIT 1)')).rows).to.have.length(1)
  })

  it('hands out so many rows, and so many bytes of them', async () => {
    const many = await query('SELECT id FROM orders ORDER BY id')
    expect([many.rows.length, many.truncated]).to.deep.equal([100, true])
    const exact = await query('SELECT id FROM orders ORDER BY id LIMIT 100')
    expect([exact.rows.length, exact.truncated]).to.deep.equal([100, false])
    const wide = await query("SELECT repeat('x', 30000) FROM orders")
    expect([wide.rows.length, wide.truncated]).to.deep.equal([2, true])
  })

  it('takes no gigabyte into memory', async () => {
    const before = process.memoryUsage().rss
    const large = "SELECT repeat('x', 200000000) FROM generate_series(1, 2)"
    expect(await refusal(large)).to.equal('the answer is larger than 100 rows or 64 KiB')
    expect(process.memoryUsage().rss - before).to.be.lessThan(300 * 1024 * 1024)
    const begun = await query(`SELECT 'first' UNION ALL (${large})`)
    expect([begun.rows, begun.truncated]).to.deep.equal([[['first']], true])
  })

  it('writes only when that is asked for, and says how many rows', async () => {
    const insert = "INSERT INTO orders VALUES (1000, 'new') RETURNING id"
    expect(await refusal(insert)).to.match(
      /^a query that only reads begins with SELECT, .*; ask with write for others$/,
    )
    expect(await count()).to.equal('500')
    expect(await query(insert, { write: true })).to.deep.equal({
      columns: [{ name: 'id', type: 'int4' }],
      rows: [[1000]],
      truncated: false,
      affected: 1,
    })
    expect(await count()).to.equal('501')
    expect(await query('DELETE FROM orders WHERE id = 1000', { write: true })).to.deep.include({ affected: 1 })
    expect(await refusal('UPDATE orders SET note = note RETURNING *', { write: true })).to.equal(
      'the answer is larger than 100 rows or 64 KiB; nothing was written',
    )
  })

  it('a read stays a read, whatever the statement tries', async () => {
    const readOnly = /read-only transaction|read-write mode|does not begin|begins with SELECT/
    for (const statement of [
      'COMMIT; DROP TABLE orders',
      'SELECT 1; DROP TABLE orders',
      'WITH gone AS (DELETE FROM orders RETURNING 1) SELECT * FROM gone',
      'SELECT sell()',
      'EXPLAIN ANALYZE DELETE FROM orders',
      'SELECT id INTO copied FROM orders',
      "SELECT set_config('transaction_read_only', 'off', false), sell()",
      'SET TRANSACTION READ WRITE',
      'CALL clear()',
      'DO $$ BEGIN COMMIT; DELETE FROM orders; END $$',
      "COPY (SELECT 1) TO PROGRAM 'touch /tmp/svc-was-here'",
      '/* SELECT */ DELETE FROM orders',
      '--SELECT\rDELETE FROM orders',
    ]) {
      const said = await refusal(statement)
      if (!said.includes('cannot insert multiple commands')) expect(said, statement).to.match(readOnly)
      expect(await count(), statement).to.equal('500')
    }
  })

  it('the login of an administrator gets no further with a read', async () => {
    const as = { ...at, ...server.admin }
    for (const statement of ["COPY (SELECT 1) TO PROGRAM 'touch /tmp/x'", 'ALTER SYSTEM SET work_mem = 1'])
      expect(await refusal(statement, { as })).to.include('begins with SELECT')
    expect(await refusal("SELECT set_config('session_authorization', 'shop', false), sell()", { as })).to.include(
      'read-only transaction',
    )
  })

  it('a write is one statement in one transaction', async () => {
    expect(await refusal('DELETE FROM orders; DROP TABLE orders', { write: true })).to.include(
      'cannot insert multiple commands into a prepared statement (42601)',
    )
    expect(await refusal('COPY orders FROM STDIN', { write: true })).to.include('no data can be sent with a query')
    expect(await refusal('COPY orders TO STDOUT', { write: true })).to.equal(
      'COPY TO STDOUT is no query; select the rows',
    )
    expect(await refusal('CALL clear()', { write: true })).to.include('invalid transaction termination')
    expect(await count()).to.equal('500')
  })

  it('refuses in the words of postgres, and never says the password', async () => {
    expect(await refusal('SELECT * FROM nowhere')).to.equal('relation "nowhere" does not exist (42P01)')
    expect(await refusal('SELECT missing FROM orders')).to.include('column "missing" does not exist (42703)')
    expect(await refusal('SELECT $1::int')).to.include('(08P01)')
    expect(await refusal(`SELECT '${password}'::int`))
      .to.include('***')
      .and.not.include(password)
    expect(await refusal('SELECT 1', { as: { ...at, password: 'wrong-word' } }))
      .to.include('the server refuses the login')
      .and.not.include('wrong-word')
    expect(await refusal('SELECT 1', { as: { ...at, port: 1 } })).to.include('does not answer on port 1')
  })

  const running = () => asAdmin("SELECT count(*) FROM pg_stat_activity WHERE usename = 'shop' AND state <> 'idle'")
  const endless = 'SELECT pg_sleep(600)'

  it('ends at the server when its time is over, even where the statement lifts its own limit', async () => {
    for (const statement of [endless, "SELECT set_config('statement_timeout', '0', false), pg_sleep(600)"]) {
      const said = await refusal(statement, { limits: { withinMs: 1000 } })
      expect(said).to.match(/longer than 1 seconds|statement timeout/)
      await eventually('nothing of it is left', async () => (await running()) === '0')
    }
  })

  it('ends at the server when the caller goes, and writes nothing then', async () => {
    for (const [statement, write] of [
      [endless, false],
      ['DELETE FROM orders WHERE pg_sleep(600) IS NOT NULL', true],
    ] as const) {
      const caller = new AbortController()
      const said = refusal(statement, { write, signal: caller.signal })
      await eventually('it runs', async () => (await running()) === '1')
      caller.abort()
      expect(await said).to.equal('the query was cancelled')
      await eventually('nothing of it is left', async () => (await running()) === '0')
      expect(await count()).to.equal('500')
    }
    expect(await refusal('SELECT 1', { signal: AbortSignal.abort() })).to.equal('the query was cancelled')
  })

  it('leaves no connection behind', async () => {
    await query('SELECT 1')
    const left = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'shop'"
    await eventually('all are closed', async () => (await asAdmin(left)) === '0')
  })
})
