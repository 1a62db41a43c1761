/** External databases: connections to real servers on loopback. */
import { randomBytes } from 'node:crypto'
import type { V1Secret } from '@kubernetes/client-node'
import { expect } from 'chai'
import { lostElsewhere } from '../../activities/databases/lost-elsewhere.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { databaseState } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { type Engine, engineWithinMs, startMariadb, startPostgres } from '../harness/engines.ts'
import { createProject, type TestRecords, until, useRecords } from '../harness/records.ts'
import { resyncUntil } from '../harness/resync.ts'
import { startTestWorker, type TestWorker, withoutWorker } from '../harness/worker.ts'
import {
  createDatabase,
  ownedBy,
  remove,
  retry,
  secretTexts,
  untilGone,
  untilSaid,
  untilState,
} from './database-world.ts'
import { untilSetUp } from './service-world.ts'

describe('a database elsewhere', function () {
  this.timeout(120_000)
  let records: TestRecords
  let project: Project
  let worker: TestWorker
  const servers: Partial<Record<'postgres' | 'mysql', Engine>> = {}

  before(async function () {
    this.timeout(2 * engineWithinMs)
    servers.postgres = await startPostgres()
    servers.mysql = await startMariadb()
    records = await useRecords()
    await withoutWorker()
    worker = await startTestWorker()
    project = await createProject(records)
    await untilSetUp(records, project)
  })
  after(async () => {
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
    await until(records.projects, project, (record) => record === undefined, 'gone')
    await worker.stop()
    await Promise.all([servers.postgres?.stop(), servers.mysql?.stop()])
  })

  const secret = async (texts: Record<string, string>, owner = project.metadata.name): Promise<string> => {
    const name = `login-${randomBytes(4).toString('hex')}`
    const metadata = { name, namespace: systemNamespace, labels: { [labels.project]: owner } }
    await records.client.create(coreTypes.secret, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      stringData: texts,
    } as never) // a Secret as kubectl creates it
    return name
  }
  const existing = (engine: 'postgres' | 'mysql', passwordSecret: string, change: object = {}) => ({
    placement: 'External',
    mode: 'Connect',
    engine,
    externalHost: servers[engine]?.host,
    externalPort: servers[engine]?.port,
    externalUsername: servers[engine]?.admin.username,
    externalPasswordRef: { name: passwordSecret, key: 'password' },
    ...change,
  })

  for (const engine of ['postgres', 'mysql'] as const) {
    it(`${engine === 'mysql' ? 'mysql (MariaDB stands in)' : engine} is connected to with its login, and leaves nothing here when it is deleted`, async () => {
      const { host, port, admin } = servers[engine] ?? expect.fail('no server')
      const database = await untilState(
        records,
        await createDatabase(records, project, existing(engine, await secret({ password: admin.password }))),
        'ready',
      )
      const name = engine === 'postgres' ? 'postgres' : ''
      expect(await secretTexts(records, database, 'connection')).to.deep.equal({
        host,
        port: String(port),
        database: name,
        username: admin.username,
        password: admin.password,
        uri: `${engine === 'postgres' ? 'postgresql' : 'mysql'}://${admin.username}:${admin.password}@${host}:${port}/${name}`,
      })
      expect(database.status).to.include({ host, port, targetNamespace: homeOf(database.spec) })
      await remove(records, database)
      await untilGone(records, database)
      expect(await ownedBy(records, database)).to.deep.equal([])
    })
  }

  it('with a misspelt sslmode is waited for instead of guessed', async () => {
    const name = await secret({ password: servers.postgres?.admin.password ?? '', sslmode: 'verify' })
    const database = await createDatabase(records, project, existing('postgres', name))
    await untilSaid(
      records,
      database,
      `waiting for an sslmode in the Secret ${name}: disable, prefer, require, verify-ca, verify-full`,
    )
    await remove(records, database)
    await untilGone(records, database)
  })

  it('whose login is refused says so without the password, and fails', async () => {
    const database = await createDatabase(
      records,
      project,
      existing('postgres', await secret({ password: 'quite-wrong' })),
    )
    await untilSaid(
      records,
      database,
      'the server refuses the login: password authentication failed for user "postgres"',
      'ProvisionFailed',
    )
    const mysql = await createDatabase(records, project, existing('mysql', await secret({ password: 'quite-wrong' })))
    await untilSaid(
      records,
      mysql,
      "the server refuses the login: Access denied for user 'root'@'127.0.0.1' (using password: YES)",
      'ProvisionFailed',
    )
    for (const each of [database, mysql]) await remove(records, each)
  })

  describe('that is ready, when its login changes at the server', () => {
    let role: string
    let passwordSecret: string
    let database: Database

    beforeEach(async () => {
      role = `app_${randomBytes(4).toString('hex')}`
      await byHand(`CREATE ROLE "${role}" LOGIN PASSWORD 'first-of-them'`)
      passwordSecret = await secret({ password: 'first-of-them' })
      database = await untilState(
        records,
        await createDatabase(records, project, existing('postgres', passwordSecret, { externalUsername: role })),
        'ready',
      )
    })
    afterEach(async () => {
      await remove(records, database)
      await untilGone(records, database)
    })

    async function byHand(statement: string): Promise<void> {
      const { sql, admin } = servers.postgres ?? expect.fail('no server')
      const { code, stderr } = await sql(admin, 'postgres', statement)
      expect(code, stderr).to.equal(0)
    }
    async function keepPassword(password: string): Promise<void> {
      const kept = await records.client.get<Sent<V1Secret>>({
        type: coreTypes.secret,
        namespace: systemNamespace,
        name: passwordSecret,
      })
      if (kept === undefined) expect.fail('no Secret')
      await records.client.replace(coreTypes.secret, {
        ...kept,
        data: { password: Buffer.from(password).toString('base64') },
      })
    }
    const writtenPassword = async () => (await secretTexts(records, database, 'connection'))?.['password']
    const isLost = async () =>
      (await lostElsewhere(records)).some(({ metadata }) => metadata.name === database.metadata.name)

    it('gives services the new password once the Secret that the record names has it', async () => {
      expect(await isLost(), 'whole').to.equal(false)
      await byHand(`ALTER ROLE "${role}" PASSWORD 'second-of-them'`)
      await keepPassword('second-of-them')
      await resyncUntil('the new password', async () => (await writtenPassword()) === 'second-of-them')
      await untilState(records, database, 'ready')
      expect(await isLost(), 'whole again').to.equal(false)
    })

    it('says that the login is refused, and is ready again for a retry with the right password', async () => {
      await byHand(`ALTER ROLE "${role}" PASSWORD 'second-of-them'`)
      await resyncUntil(
        'refused',
        async () =>
          databaseState((await records.databases.readLive(database.metadata.name)) ?? database).state === 'failed',
      )
      await untilSaid(
        records,
        database,
        `the server refuses the login: password authentication failed for user "${role}"`,
        'ProvisionFailed',
      )
      await keepPassword('second-of-them')
      await retry(records, database)
      await untilState(records, database, 'ready')
      expect(await writtenPassword()).to.equal('second-of-them')
    })

    it('stays ready while the server does not answer', async () => {
      await servers.postgres?.kill()
      try {
        expect(await isLost()).to.equal(false)
      } finally {
        await servers.postgres?.start()
      }
    })
  })

  it('that does not answer is waited for', async () => {
    const database = await createDatabase(
      records,
      project,
      existing('postgres', await secret({ password: 'x' }), { externalPort: 1 }),
    )
    await untilSaid(records, database, '127.0.0.1 does not answer on port 1: ECONNREFUSED', 'ReconcileError')
    await remove(records, database)
    await untilGone(records, database)
  })

  it('waits for a Secret that is labelled for its project, and for its key', async () => {
    const foreign = await secret({ password: 'x' }, 'proj-00000000')
    const database = await createDatabase(records, project, existing('postgres', foreign))
    await untilSaid(
      records,
      database,
      `waiting for a Secret ${foreign} with the label svc.dev/project=${project.metadata.name}`,
      'ReconcileError',
    )
    const without = await secret({ other: 'x' })
    const second = await createDatabase(records, project, existing('postgres', without))
    await untilSaid(records, second, `waiting for the key password of the Secret ${without}`, 'ReconcileError')
    for (const each of [database, second]) await remove(records, each)
  })

  it('without a host, or with an engine that cannot be elsewhere, or at AWS, is refused in words', async () => {
    const refused: [object, string][] = [
      [
        { placement: 'External', mode: 'Connect' },
        'an external database needs externalHost, externalUsername and externalPasswordRef',
      ],
      [{ placement: 'External', mode: 'Connect', engine: 'redis' }, 'an external database must be postgres or mysql'],
      [
        { placement: 'External', provider: 'AWS', engine: 'mysql' },
        'databases at AWS cannot be made from here; make one there and use mode Connect',
      ],
      [
        { placement: 'External', provider: 'PlanetScale', engine: 'mysql' },
        'an external database needs a provider and a connectionRef',
      ],
    ]
    for (const [spec, message] of refused) {
      const database = await createDatabase(records, project, spec)
      await untilSaid(records, database, message, 'ProvisionFailed')
      await remove(records, database)
      await untilGone(records, database)
    }
  })
})
