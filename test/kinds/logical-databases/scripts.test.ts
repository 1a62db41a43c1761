/**
 * The scripts of the Jobs on real servers: a login reaches its own database and no other. MariaDB stands in for MySQL.
 */
import { expect } from 'chai'
import { createOnOwnMysql, createOnSharedMysql, dropOnMysql } from '../../../kinds/logical-databases/mysql-scripts.ts'
import {
  createOnOwnPostgres,
  createOnSharedPostgres,
  dropOnPostgres,
} from '../../../kinds/logical-databases/postgres-scripts.ts'
import { type Asked, type Engine, engineWithinMs, startMariadb, startPostgres } from '../../harness/engines.ts'
import { scramVerifier } from '../../../activities/logical-databases/scram.ts'

interface Dialect {
  title: string
  start: () => Promise<Engine>
  createShared: string
  createOwn: string
  drop: string
  /** The database that exists on a new server. */
  first: string
  refused: RegExp
  tooMany: RegExp
  sleep: string
  sessions: (username: string) => string
}

const postgres: Dialect = {
  title: 'PostgreSQL',
  start: startPostgres,
  createShared: createOnSharedPostgres,
  createOwn: createOnOwnPostgres,
  drop: dropOnPostgres,
  first: 'postgres',
  refused: /permission denied for database|does not have CONNECT privilege/,
  tooMany: /too many connections for role/,
  sleep: 'SELECT pg_sleep(60)',
  sessions: (username) => `SELECT count(*) FROM pg_stat_activity WHERE usename = '${username}'`,
}
const mariadb: Dialect = {
  title: 'MariaDB in place of MySQL',
  start: startMariadb,
  createShared: createOnSharedMysql,
  createOwn: createOnOwnMysql,
  drop: dropOnMysql,
  first: 'mysql',
  refused: /Access denied for user/,
  tooMany: /max_user_connections|has exceeded/,
  sleep: 'SELECT SLEEP(60)',
  sessions: (username) => `SELECT COUNT(*) FROM information_schema.processlist WHERE user = '${username}'`,
}

for (const dialect of [postgres, mariadb]) {
  describe(`the scripts of logical databases on ${dialect.title}`, function () {
    this.timeout(60_000)
    let engine: Engine

    before(async function () {
      this.timeout(engineWithinMs)
      engine = await dialect.start()
    })
    after(() => engine.stop())

    const login = (username: string) => ({ username, password: `of-${username}-7f3a` })
    const variables = (
      { username, password }: { username: string; password: string },
      database: string,
      limit: number,
    ) => ({
      ...engine.serverVariables,
      DATABASE: database,
      LOGIN: username,
      PASSWORD: password,
      VERIFIER: scramVerifier(password),
      CONNECTION_LIMIT: String(limit),
    })
    const create = (username: string, database: string, limit = 20) =>
      engine.script(dialect.createShared, variables(login(username), database, limit))
    const drop = (username: string, database: string) =>
      engine.script(dialect.drop, { ...engine.serverVariables, DATABASE: database, LOGIN: username })
    const asAdmin = (text: string) => engine.sql(engine.admin, dialect.first, text)
    const done = ({ code, stderr }: Asked) => expect([code, stderr]).to.deep.equal([0, ''])

    it('let a login into its own database, and into no other', async () => {
      // The second name differs from the first only where a wildcard of MySQL would match it.
      const [own, other] = ['proj_0a1b2c3d_prod_a', 'proj_0a1b2c3dxprod_a']
      done(await create('u_1111', own))
      done(await create('u_2222', other))
      done(await engine.sql(login('u_1111'), own, 'CREATE TABLE kept (id int); INSERT INTO kept VALUES (1)'))
      expect((await engine.sql(login('u_1111'), own, 'SELECT id FROM kept')).stdout).to.equal('1')
      for (const [username, database] of [
        ['u_1111', other],
        ['u_2222', own],
        ['u_1111', dialect.first],
      ] as const) {
        const { code, stderr } = await engine.sql(login(username), database, 'SELECT 1')
        expect(code, `${username} on ${database}`).not.to.equal(0)
        expect(stderr).to.match(dialect.refused)
      }
      expect((await engine.sql({ ...login('u_1111'), password: 'wrong' }, own, 'SELECT 1')).code).not.to.equal(0)
    })

    it('may run again, and repair a login and a password', async () => {
      const database = 'proj_0a1b2c3d_prod_again'
      done(await create('u_3333', database))
      done(await engine.sql(login('u_3333'), database, 'CREATE TABLE kept (id int)'))
      done(await create('u_3333', database))
      const renewed = { username: 'u_3333', password: 'another-one' }
      done(await engine.script(dialect.createShared, variables(renewed, database, 20)))
      done(await engine.sql(renewed, database, 'SELECT id FROM kept'))
      expect((await engine.sql(login('u_3333'), database, 'SELECT 1')).code).not.to.equal(0)
    })

    it('hold the login to its number of connections', async () => {
      const database = 'proj_0a1b2c3d_prod_few'
      done(await create('u_4444', database, 2))
      const open = [1, 2].map(() => engine.sql(login('u_4444'), database, dialect.sleep))
      await until(async () => (await asAdmin(dialect.sessions('u_4444'))).stdout === '2')
      const third = await engine.sql(login('u_4444'), database, 'SELECT 1')
      expect(third.code).not.to.equal(0)
      expect(third.stderr).to.match(dialect.tooMany)
      done(await drop('u_4444', database)) // a drop also ends the sessions
      for (const { code } of await Promise.all(open)) expect(code).not.to.equal(0)
    })

    it('drop database and login, and may run again', async () => {
      const database = 'proj_0a1b2c3d_prod_gone'
      done(await create('u_5555', database))
      done(await drop('u_5555', database))
      expect((await engine.sql(login('u_5555'), database, 'SELECT 1')).code).not.to.equal(0)
      expect((await asAdmin(`CREATE DATABASE ${database}`)).code, 'the name is free').to.equal(0)
      done(await asAdmin(`DROP DATABASE ${database}`))
      done(await drop('u_5555', database))
    })

    it('refuse a database of that name that belongs to another login, and never drop it', async () => {
      const database = 'proj_0a1b2c3d_a_b_c'
      done(await create('u_6666', database))
      const { code, stderr } = await create('u_7777', database)
      expect(code).not.to.equal(0)
      expect(stderr).to.include('a database of this name belongs to another login')
      done(await drop('u_7777', database))
      done(await engine.sql(login('u_6666'), database, 'SELECT 1'))
    })

    it('make many at once', async () => {
      const all = Array.from({ length: 8 }, (_, index) => create(`u_88${index}`, `proj_0a1b2c3d_many_${index}`))
      for (const asked of await Promise.all(all)) done(asked)
    })

    it("make a database on a project's own server as it is named, for the server's own login", async () => {
      const { username } = login('shop_app')
      done(
        await asAdmin(
          dialect === postgres
            ? `CREATE ROLE ${username} LOGIN PASSWORD '${login(username).password}'`
            : `CREATE USER '${username}'@'%' IDENTIFIED BY '${login(username).password}'`,
        ),
      )
      const own = { ...engine.serverVariables, DATABASE: 'Shop_Orders', LOGIN: username }
      done(await engine.script(dialect.createOwn, own))
      done(await engine.script(dialect.createOwn, own))
      done(await engine.sql(login(username), 'Shop_Orders', 'CREATE TABLE kept (id int)'))
    })

    it('end in words when the administrator is refused', async function () {
      this.timeout(120_000) // the script tries for a minute
      const { code, stderr } = await engine.script(dialect.createShared.replace('-ge 30', '-ge 2'), {
        ...variables(login('u_9999'), 'proj_x', 1),
        PGPASSWORD: 'wrong',
        MYSQL_PWD: 'wrong',
      })
      expect([code, stderr]).to.deep.equal([1, 'the server does not answer'])
    })

    it('print no password, done or failed', async () => {
      for (const [limit, code] of [
        ['3', 0],
        ['no number', 1],
      ] as const) {
        const given = { ...variables(login('u_aaaa'), 'proj_0a1b2c3d_told', 0), CONNECTION_LIMIT: limit }
        const result = await engine.script(dialect.createShared, given)
        expect(result.code === 0, limit).to.equal(code === 0)
        expect(result.stderr !== '', limit).to.equal(code !== 0)
        for (const secret of [login('u_aaaa').password, engine.admin.password])
          expect(`${result.stdout}${result.stderr}`).not.to.include(secret)
      }
    })
  })
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const late = Date.now() + 30_000
  while (!(await holds())) {
    if (Date.now() > late) throw new Error('it never came to be')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
