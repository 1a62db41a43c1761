/**
 * The backup of one logical database on a real server that others share: taken with its own login, it has that database
 * alone, is restored into another server, and is proven by a drill. MariaDB stands in for MySQL.
 */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { scramVerifier } from '../../../activities/logical-databases/scram.ts'
import { drillScript } from '../../../kinds/backup-archives/drill-script.ts'
import { drilledIn, storedIn } from '../../../kinds/backup-archives/jobs.ts'
import { backupScript, restoreScript } from '../../../kinds/backup-archives/scripts.ts'
import { createOnSharedMysql } from '../../../kinds/logical-databases/mysql-scripts.ts'
import { createOnSharedPostgres } from '../../../kinds/logical-databases/postgres-scripts.ts'
import { connectS3 } from '../../../outside/minio/s3.ts'
import { drillTools, sqlTools } from '../../harness/backed-engines.ts'
import { playPod, type PodRun } from '../../harness/backup-pod.ts'
import { type Asked, type Engine, engineWithinMs, startMariadb, startPostgres } from '../../harness/engines.ts'
import { type Minio, minioWithinMs, startMinio } from '../../harness/minio.ts'

const bucket = 'kept-backups'
const connections = 2

const dialects = [
  { engine: 'postgres', start: startPostgres, create: createOnSharedPostgres, sleep: 'SELECT pg_sleep(60)' },
  { engine: 'mysql', start: startMariadb, create: createOnSharedMysql, sleep: 'SELECT SLEEP(60)' },
] as const

for (const { engine, start, create, sleep } of dialects) {
  describe(`the backup of one logical database of ${engine}`, function () {
    this.timeout(120_000)
    let minio: Minio
    let shared: Engine
    let other: Engine
    let tools: Pick<PodRun, 'path' | 'env'>
    let store: PodRun['store']
    const own = { username: 'u_1111', password: 'of-the-one-7f3a', database: 'proj_1_production_shop' }
    const foreign = { username: 'u_2222', password: 'of-another-7f3a', database: 'proj_2_production_shop' }
    const first = engine === 'postgres' ? 'postgres' : 'mysql'
    const done = ({ code, stdout, stderr }: Asked): string => {
      expect(code, stderr).to.equal(0)
      return stdout
    }

    before(async function () {
      this.timeout(minioWithinMs + 2 * engineWithinMs)
      minio = await startMinio()
      const s3 = connectS3(minio)
      await s3.ask((client) => client.send(new CreateBucketCommand({ Bucket: bucket }))).finally(() => s3.end())
      shared = await start()
      other = await start()
      tools = await sqlTools(engine)
      store = {
        provider: 'Minio',
        endpoint: minio.endpoint,
        region: 'us-east-1',
        accessKey: minio.accessKey,
        secretKey: minio.secretKey,
        bucket,
        path: `svc-backups/${engine}`,
        key: randomBytes(24).toString('hex'),
      }
      for (const each of [own, foreign]) {
        const variables = {
          ...shared.serverVariables,
          DATABASE: each.database,
          LOGIN: each.username,
          PASSWORD: each.password,
          VERIFIER: scramVerifier(each.password),
          CONNECTION_LIMIT: String(connections),
        }
        done(await shared.script(create, variables))
        for (const statement of [
          'CREATE TABLE kept (word varchar(20))',
          `INSERT INTO kept VALUES ('${each.username}'), ('otter')`,
          'CREATE VIEW seen AS SELECT word FROM kept',
        ])
          done(await shared.sql(each, each.database, statement))
      }
    })
    after(async () => {
      await Promise.all([shared?.stop(), other?.stop(), minio?.stop()])
    })

    const back = (login: Record<string, string> = own, name = own.database) =>
      playPod({
        ...tools,
        script: backupScript(engine, { one: true }),
        store,
        admin: login,
        variables: { SERVER_HOST: shared.host, SERVER_PORT: String(shared.port), DATABASE: name },
      })

    it('has its tables alone, and comes back in a server of another login', async () => {
      const taken = await back()
      expect(taken.code, taken.log).to.equal(0)
      const stored = storedIn(taken.said)
      expect(stored?.counts).to.deep.equal({ tables: 1, rows: 2 })
      const { checksum = '' } = stored ?? {}
      const login = { username: 'u_of_the_new', password: 'of-the-new-7f3a' }
      const made =
        engine === 'postgres'
          ? `CREATE ROLE ${login.username} LOGIN PASSWORD '${login.password}'`
          : `CREATE USER '${login.username}'@'%' IDENTIFIED BY '${login.password}'`
      done(await other.sql(other.admin, first, made))
      const end = await playPod({
        ...tools,
        script: restoreScript(engine),
        store,
        login,
        admin: other.admin,
        variables: {
          SERVER_HOST: other.host,
          SERVER_PORT: String(other.port),
          ANSWERS_WITHIN: '60',
          CHECKSUM: checksum,
        },
      })
      expect({ code: end.code, said: end.said }, end.log).to.deep.equal({ code: 0, said: '{}' })
      const seen = await other.sql(login, own.database, 'SELECT word FROM seen ORDER BY word')
      expect(done(seen)).to.equal('otter\nu_1111')
      const there = await other.sql(other.admin, foreign.database, 'SELECT 1')
      expect(there.code, 'the other database came along').not.to.equal(0)
    })

    it('is proven by a drill', async () => {
      const stored = storedIn((await back()).said)
      const server = await drillTools(engine)
      const end = await playPod({
        script: drillScript(engine),
        store,
        ...server,
        variables: { ...server.variables, CHECKSUM: stored?.checksum ?? '' },
        unprivileged: true,
      })
      await server.stop()
      expect(end.code, end.log).to.equal(0)
      expect(drilledIn(end.said)?.counts).to.deep.equal(stored?.counts)
    })

    it('gives its login to no other server that a name could mean', async () => {
      const said = 'a database has a name that backups do not take'
      for (const name of ['host=127.0.0.1 port=1', 'postgresql://127.0.0.1:1/shop', '--host=127.0.0.1', ''])
        expect((await back(own, name)).said, name).to.equal(said)
    })

    it('fails with a sentence where the login does not reach it, or has all of its connections in use', async () => {
      const said = 'the server did not let the login in: it may have all of its connections in use'
      expect((await back(foreign)).said).to.equal(said)
      const held = Array.from({ length: connections }, () => shared.sql(own, own.database, sleep))
      const user = `'${own.username}'`
      const count =
        engine === 'postgres'
          ? `SELECT count(*) FROM pg_stat_activity WHERE usename = ${user}`
          : `SELECT COUNT(*) FROM information_schema.processlist WHERE user = ${user}`
      const admin = (text: string) => shared.sql(shared.admin, first, text)
      while (Number((await admin(count)).stdout) < connections) await new Promise((again) => setTimeout(again, 100))
      expect((await back()).said).to.equal(said)
      const end =
        engine === 'postgres'
          ? `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ${user}`
          : `KILL USER ${user}`
      done(await admin(end))
      await Promise.all(held)
    })
  })
}
