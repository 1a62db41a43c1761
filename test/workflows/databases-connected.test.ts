/**
 * Databases elsewhere that the api connected: their logins are Secrets of svc-system that svc wrote, each for one
 * server and one database.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { changeLogin, connectDatabase } from '../../records/databases/connect-database.ts'
import { mintDeployRequest } from '../../records/store/edit-record.ts'
import { type Engine, engineWithinMs, startPostgres } from '../harness/engines.ts'
import { createProject, freeNames, type TestRecords, until, useRecords } from '../harness/records.ts'
import { startTestWorker, type TestWorker, withoutWorker } from '../harness/worker.ts'
import { createDatabase, edit, remove, secretTexts, untilGone, untilSaid, untilState } from './database-world.ts'
import { untilSetUp } from './service-world.ts'

describe('a database elsewhere that the api connected', function () {
  this.timeout(120_000)
  let records: TestRecords
  let project: Project
  let server: Engine
  let worker: TestWorker
  /** Another server, which no login was given for. */
  let other: Server
  let connections = 0

  before(async function () {
    this.timeout(2 * engineWithinMs)
    server = await startPostgres()
    other = createServer((socket) => {
      connections += 1
      socket.destroy()
    }).listen(0, '127.0.0.1')
    await once(other, 'listening')
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
    await server.stop()
    other.close()
  })

  const needs = () => ({
    ...records,
    names: freeNames,
    cloudConnection: async () => undefined,
    expandable: () => true,
    canReplicate: async () => false,
    reserveCapacity: async () => undefined,
  })
  const request = () => mintDeployRequest({ actor: 'tester', requestId: 'test' }, new Date())
  const connect = (change: object = {}): Promise<Database> =>
    connectDatabase(
      needs(),
      {
        project: project.metadata.name,
        environment: 'production',
        name: `elsewhere-${randomBytes(4).toString('hex')}`,
        engine: 'postgres',
        host: server.host,
        port: server.port,
        ...server.admin,
        ...change,
      },
      request(),
    )
  async function loginsOf({ metadata: { name } }: Database): Promise<string[]> {
    const query = { namespace: systemNamespace, labelSelector: `${labels.database}=${name}` }
    return (await records.client.list(coreTypes.secret, query)).items.map(({ metadata }) => metadata.name)
  }

  it('is ready once its login was tried, follows a change of it, and takes its login along', async () => {
    const database = await untilState(records, await connect(), 'ready')
    expect(await secretTexts(records, database, 'connection')).to.include({
      host: server.host,
      port: String(server.port),
      database: 'postgres',
      ...server.admin,
    })
    const role = `app_${randomBytes(4).toString('hex')}`
    const { code, stderr } = await server.sql(server.admin, 'postgres', `CREATE ROLE "${role}" LOGIN PASSWORD 'second'`)
    expect(code, stderr).to.equal(0)
    await changeLogin(needs(), database.metadata.name, { username: role, password: 'wrong' }, request())
    await untilSaid(
      records,
      database,
      `the server refuses the login: password authentication failed for user "${role}"`,
      'ProvisionFailed',
    )
    await changeLogin(needs(), database.metadata.name, { username: role, password: 'second' }, request())
    await untilState(records, database, 'ready')
    expect(await secretTexts(records, database, 'connection')).to.include({ username: role, password: 'second' })
    expect(await loginsOf(database)).to.have.length(1)
    await remove(records, database)
    await untilGone(records, database)
    expect(await loginsOf(database)).to.deep.equal([])
  })

  it('whose host is changed in its record gets no login sent to the other server, and is ready again for its own', async () => {
    const database = await untilState(records, await connect(), 'ready')
    const { port } = other.address() as AddressInfo // on TCP, so no path
    await edit(records, database, { externalPort: port })
    await untilSaid(
      records,
      database,
      `the login was given for another host than 127.0.0.1:${port}; change the login`,
      'ProvisionFailed',
    )
    expect(connections).to.equal(0)
    await edit(records, database, { externalPort: server.port })
    await untilState(records, database, 'ready')
    await remove(records, database)
    await untilGone(records, database)
  })

  it('lends its login to no other record', async () => {
    const database = await untilState(records, await connect(), 'ready')
    const { deploy: _, ...spec } = database.spec
    const thief = await createDatabase(records, project, spec)
    await untilSaid(
      records,
      thief,
      `waiting for a Secret ${spec.externalPasswordRef?.name} with the label svc.dev/project=${project.metadata.name}`,
      'ReconcileError',
    )
    await remove(records, thief)
    await untilGone(records, thief)
    expect(await loginsOf(database)).to.have.length(1)
    await remove(records, database)
    await untilGone(records, database)
  })
})
