/**
 * External databases: connections to real servers on loopback, and PlanetScale, for which a small HTTP server stands
 * in.
 */
import { randomBytes } from 'node:crypto'
import type { CoreV1Event, V1Secret } from '@kubernetes/client-node'
import { expect } from 'chai'
import { lostElsewhere } from '../../activities/databases/lost-elsewhere.ts'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { finalizers, labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { databaseState } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { askDatabaseDeletion } from '../../records/databases/ask-deletion.ts'
import { type Engine, engineWithinMs, startMariadb, startPostgres } from '../harness/engines.ts'
import { planetScaleKeys, type PlanetScaleServer, startPlanetScale } from '../harness/planetscale.ts'
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
  let planetScale: PlanetScaleServer
  let worker: TestWorker
  const servers: Partial<Record<'postgres' | 'mysql', Engine>> = {}

  before(async function () {
    this.timeout(2 * engineWithinMs)
    servers.postgres = await startPostgres()
    servers.mysql = await startMariadb()
    planetScale = await startPlanetScale()
    records = await useRecords()
    await withoutWorker()
    worker = await startTestWorker({}, 'temporal/main.ts', { SVC_PLANETSCALE_ENDPOINT: planetScale.endpoint })
    project = await createProject(records)
    await untilSetUp(records, project)
  })
  after(async () => {
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
    await until(records.projects, project, (record) => record === undefined, 'gone')
    await worker.stop()
    await Promise.all([servers.postgres?.stop(), servers.mysql?.stop(), planetScale.stop()])
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

  it('whose login is refused says so without the password, and gives up', async () => {
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
    const passwordTold = async () => (await secretTexts(records, database, 'connection'))?.['password']
    const isLost = async () =>
      (await lostElsewhere(records)).some(({ metadata }) => metadata.name === database.metadata.name)

    it('tells services the new password once it is kept where the record names it', async () => {
      expect(await isLost(), 'whole').to.equal(false)
      await byHand(`ALTER ROLE "${role}" PASSWORD 'second-of-them'`)
      await keepPassword('second-of-them')
      await resyncUntil('the new password', async () => (await passwordTold()) === 'second-of-them')
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
      expect(await passwordTold()).to.equal('second-of-them')
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

  describe('at PlanetScale (a small HTTP server stands in for it)', () => {
    let connection: string

    before(async () => {
      connection = `planet-${randomBytes(4).toString('hex')}`
      const { name } = project.metadata
      const owned = { [labels.managedBy]: managedBySvc, [labels.project]: name }
      const credentials = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: `${connection}-credentials`, namespace: systemNamespace, labels: owned },
        stringData: planetScaleKeys,
      }
      await records.client.create(coreTypes.secret, credentials)
      await records.client.create(resourceTypes.cloudConnection, {
        apiVersion,
        kind: resourceTypes.cloudConnection.kind,
        metadata: { name: connection, namespace: systemNamespace, labels: owned },
        spec: {
          provider: 'PlanetScale',
          project: name,
          secretRef: { name: `${connection}-credentials` },
          organization: planetScaleKeys.organization,
        },
      } as never) // the spec as the cluster accepts it
    })

    const there = (change: object = {}) => ({
      placement: 'External',
      provider: 'PlanetScale',
      engine: 'mysql',
      connectionRef: { name: connection },
      ...change,
    })

    it('is made with one password, and removed there when it is deleted', async () => {
      const database = await untilState(records, await createDatabase(records, project, there()), 'ready')
      const name = `${database.metadata.name}-${database.metadata.uid?.slice(0, 8)}`
      expect([...planetScale.databases.keys()]).to.deep.equal([name])
      const made = [...(planetScale.databases.get(name)?.passwords.keys() ?? [])]
      expect(made).to.have.length(1)
      const texts = await secretTexts(records, database, 'connection')
      expect(texts).to.include({
        host: 'aws.connect.psdb.cloud',
        port: '3306',
        database: name,
        username: `user-${made[0]}`,
        password: `pscale_pw_${made[0]}`,
      })
      await remove(records, database)
      await untilGone(records, database)
      expect([...planetScale.databases.keys()]).to.deep.equal([])
    })

    it('is made once when the answer to each call is lost', async () => {
      planetScale.dropNext = 'POST'
      const database = await createDatabase(records, project, there())
      await until(records.databases, database, () => planetScale.databases.size === 1, 'made there')
      planetScale.dropNext = 'POST' // the next POST makes the password
      const ready = await untilState(records, database, 'ready')
      expect(planetScale.databases.size).to.equal(1)
      const [only] = planetScale.databases.values()
      const passwords = [...(only?.passwords.keys() ?? [])]
      expect(passwords).to.have.length(1)
      expect((await secretTexts(records, ready, 'connection'))?.['password']).to.equal(`pscale_pw_${passwords[0]}`)
      planetScale.dropNext = 'DELETE'
      await remove(records, ready)
      await untilGone(records, ready)
      expect(planetScale.databases.size).to.equal(0)
    })

    it('that is refused gives up with its words, and what does not answer is waited for', async () => {
      planetScale.refuseWith = 403
      const database = await createDatabase(records, project, there())
      await untilSaid(records, database, '403: no', 'ProvisionFailed')
      planetScale.refuseWith = 503
      const second = await createDatabase(records, project, there())
      await untilSaid(records, second, '503: no', 'ReconcileError')
      planetScale.refuseWith = undefined
      await untilState(records, second, 'ready')
      for (const each of [database, second]) await remove(records, each)
      for (const each of [database, second]) await untilGone(records, each)
      expect(planetScale.databases.size).to.equal(0)
    })

    it('whose organization is gone stays Terminating until it is let go, and says what stays there', async () => {
      const database = await untilState(records, await createDatabase(records, project, there()), 'ready')
      const { name, uid } = database.metadata
      const isHeld = async () =>
        (await records.databases.readLive(name))?.metadata.finalizers?.includes(finalizers.database)
      planetScale.refuseWith = 403
      try {
        expect(await askDatabaseDeletion(records, database, name)).to.deep.equal([])
        await untilSaid(records, database, '403: no', 'ReconcileError')
        expect(await isHeld()).to.equal(true)
        const stays = await askDatabaseDeletion(records, database, name, { abandon: true })
        const inWords = `database ${name}-${uid?.slice(0, 8)} of organization ${planetScaleKeys.organization} at PlanetScale`
        expect(stays).to.deep.equal([`${inWords}, with its passwords (cloud connection ${connection})`])
        await untilGone(records, database)
        expect(await ownedBy(records, database)).to.deep.equal([])
        expect([...planetScale.databases.keys()], 'it does stay').to.deep.equal([`${name}-${uid?.slice(0, 8)}`])
        const { items } = await records.client.list<CoreV1Event & KubeObject>(coreTypes.event, {
          namespace: systemNamespace,
        })
        const told = items.filter(({ reason, involvedObject }) => reason === 'Abandoned' && involvedObject.uid === uid)
        expect(told.map(({ message }) => message)).to.deep.equal([
          `let go without asking the cloud; what stays there: ${stays.join(', ')}`,
        ])
      } finally {
        planetScale.refuseWith = undefined
        planetScale.databases.clear()
      }
    })

    it('with another engine than mysql is refused in words', async () => {
      const database = await createDatabase(records, project, there({ engine: 'postgres' }))
      await untilSaid(records, database, 'a database at PlanetScale must be mysql', 'ProvisionFailed')
      await remove(records, database)
      await untilGone(records, database)
    })
  })
})
