/**
 * The lifecycle of a logical database on the simulated cluster: created, waiting, failing, edited. Its servers are
 * stand-ins.
 */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { workflowId } from '../../durable/ids.ts'
import { finalizers } from '../../kinds/meta/annotations.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { createJobName, loginSecretName } from '../../kinds/logical-databases/names.ts'
import { logicalDatabaseState } from '../../kinds/logical-databases/rules.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { connectTemporal, temporalSettings } from '../../temporal/client/client.ts'
import { eventually } from '../cluster/eventually.ts'
import { until } from '../harness/records.ts'
import { useStack } from '../harness/stack.ts'
import {
  createLogical,
  giveAdmin,
  giveConnection,
  jobOf,
  type ServedWorld,
  mint,
  openLogicalWorld,
  openServedWorld,
  remove,
  removeServer,
  secretOf,
  serverPassword,
  setReady,
  standInServer,
  untilGone,
  untilReady,
  untilSaid,
} from './logical-world.ts'

const available = 'Logical database connection is available'

describe('logical databases', function () {
  this.timeout(90_000)
  let world: ServedWorld

  before(async () => {
    world = await openServedWorld()
  })
  after(() => world.close())
  type RecordedEvent = KubeObject & { reason: string; message: string; involvedObject: { uid?: string } }
  const eventsOf = async ({ metadata: { uid } }: LogicalDatabase) =>
    (await world.records.client.list<RecordedEvent>(coreTypes.event, { namespace: systemNamespace })).items.filter(
      ({ involvedObject }) => involvedObject.uid === uid,
    )

  describe('that are made', () => {
    it("on a project's own server are ready with the server's own login: Logical database connection is available", async () => {
      const record = await untilReady(world, await world.onOwn('Shop_1'))
      const { name } = record.metadata
      expect(readyOf(record.status?.conditions)).to.include({
        status: 'True',
        reason: 'LogicalDatabaseReady',
        message: available,
      })
      expect(record.status).to.include({
        connectionSecret: `${name}-connection`,
        jobName: `${name}-create`,
        database: 'Shop_1',
        username: 'first_app',
      })
      const host = `${world.own.metadata.name}-rw.${world.place}.svc`
      expect(await secretOf(world, world.place, connectionSecretName(name))).to.deep.equal({
        host,
        port: '5432',
        database: 'Shop_1',
        username: 'first_app',
        password: serverPassword,
        uri: `postgresql://first_app:${serverPassword}@${host}:5432/Shop_1?sslmode=require`,
      })
      expect(await secretOf(world, systemNamespace, loginSecretName(name))).to.equal(undefined)
      expect(await jobOf(world, world.place, createJobName(name))).not.to.equal(undefined)
      expect(record.metadata.finalizers).to.deep.equal([finalizers.logicalConnection])
    })

    it('on the shared server have a real name, a login and a password of their own', async () => {
      const record = await untilReady(world, await world.onShared('Shop', { connectionLimit: 7 }))
      const { name } = record.metadata
      const database = `${world.project.metadata.name.replace('-', '_')}_production_shop`
      expect(record.status).to.include({ connectionSecret: `${name}-connection`, jobName: `${name}-create`, database })
      const username = record.status?.username ?? ''
      expect(username).to.match(/^u_[0-9a-f]{16}$/)
      const connection = await secretOf(world, world.place, connectionSecretName(name))
      const password = connection?.['password'] ?? ''
      expect(password).to.match(/^[0-9a-f]{48}$/)
      const host = 'shared-postgres-rw.svc-system.svc'
      expect(connection).to.deep.equal({
        host,
        port: '5432',
        database,
        username,
        password,
        uri: `postgresql://${username}:${password}@${host}:5432/${database}`,
      })
      const login = await secretOf(world, systemNamespace, loginSecretName(name))
      expect(login).to.deep.include({ database, username, password, connectionLimit: '7' })
      expect(record.metadata.finalizers).to.deep.equal([finalizers.logicalDatabase])
      const job = JSON.stringify(await jobOf(world, systemNamespace, createJobName(name)))
      expect(job).to.include('"image":"postgres:16"')
      expect(job).not.to.include(password)
    })

    it('on the shared server may have 20 connections, and keep the number they were made with', async () => {
      const record = await untilReady(world, await world.onShared())
      const { name } = record.metadata
      expect((await secretOf(world, systemNamespace, loginSecretName(name)))?.['connectionLimit']).to.equal('20')
      const job = await jobOf(world, systemNamespace, createJobName(name))
      const edited = await world.records.logicalDatabases.edit(name, (current) => ({
        ...current,
        spec: { ...current.spec, connectionLimit: 5 },
      }))
      await until(
        world.records.logicalDatabases,
        record,
        (seen) =>
          seen?.metadata.generation === edited?.metadata.generation &&
          seen?.status?.observedGeneration === edited?.metadata.generation,
        'looked at again',
      )
      await untilReady(world, record)
      expect((await secretOf(world, systemNamespace, loginSecretName(name)))?.['connectionLimit']).to.equal('20')
      expect((await jobOf(world, systemNamespace, createJobName(name)))?.metadata.uid).to.equal(job?.metadata.uid)
    })

    it('leave neither password nor verifier in their workflow history, their Events or their record', async () => {
      const record = await untilReady(world, await world.onShared())
      const { name } = record.metadata
      const login = await secretOf(world, systemNamespace, loginSecretName(name))
      const secrets = [login?.['password'], login?.['verifier'], serverPassword].filter(
        (secret) => secret !== undefined,
      )
      expect(secrets.length).to.equal(3)
      const { temporalAddress } = await useStack()
      const temporal = connectTemporal(temporalSettings({ SVC_TEMPORAL_ADDRESS: temporalAddress }))
      try {
        const { events } = await temporal.client.workflow.getHandle(workflowId('logicalDatabase', name)).fetchHistory()
        expect(events?.length).to.be.greaterThan(10)
        // Payloads are bytes; decoded, they are the values that were sent.
        const history = JSON.stringify(events, (_key, value: unknown) =>
          value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value,
        )
        expect(history).to.include(name)
        const elsewhere = JSON.stringify([await eventsOf(record), record])
        for (const secret of secrets)
          for (const text of [history, elsewhere]) expect(text.includes(secret)).to.equal(false)
      } finally {
        await temporal.close()
      }
    })

    it('record each step as an Event', async () => {
      const record = await untilReady(world, await world.onOwn())
      expect((await eventsOf(record)).map(({ reason, message }) => `${reason}: ${message}`)).to.include.members([
        'ReconcileError: creating logical database',
        `LogicalDatabaseReady: ${available}`,
      ])
    })

    it('refuse another server, another place and, once made, another name', async () => {
      const record = await untilReady(world, await world.onOwn())
      const { name } = record.metadata
      const rows: [Partial<LogicalDatabase['spec']>, string][] = [
        [{ serverRef: 'shared-postgres' }, 'the server of a logical database cannot change'],
        [{ environment: 'staging' }, 'a logical database cannot move'],
        [{ databaseName: 'another' }, 'the name of a database that was made cannot change'],
      ]
      for (const [change, sentence] of rows) {
        const refused = await world.records.logicalDatabases
          .edit(name, (current) => ({ ...current, spec: { ...current.spec, ...change } }))
          .then(
            () => 'taken',
            (error: unknown) => String(error),
          )
        expect(refused).to.include(sentence)
      }
    })
  })

  describe('that wait', () => {
    it('say that their project does not exist, or has no such environment', async () => {
      const absent = await world.onOwn(undefined, { project: 'proj-00000000' })
      await untilSaid(world, absent, 'ReconcileError', 'project proj-00000000 does not exist')
      await remove(world, absent)
      await untilGone(world, absent)
      const elsewhere = await world.onOwn(undefined, { environment: 'nowhere' })
      await untilSaid(
        world,
        elsewhere,
        'ReconcileError',
        `project ${world.project.metadata.name} has no environment nowhere`,
      )
      await remove(world, elsewhere)
      await untilGone(world, elsewhere)
    })

    it('say that their server does not exist, and go on when it is there', async () => {
      const name = mint('server')
      const record = await createLogical(world, name)
      await untilSaid(world, record, 'ReconcileError', `server ${name} does not exist`)
      const server = await standInServer(world, { name })
      await untilReady(world, record)
      await remove(world, record)
      await untilGone(world, record)
      await removeServer(world.records, server)
    })

    it('say in turn that their server is not ready, has no connection secret, and no administrator login', async () => {
      const server = await standInServer(world, {}, { ready: false, connection: false, admin: false })
      const { name } = server.metadata
      const record = await createLogical(world, name)
      await untilSaid(world, record, 'ReconcileError', `server ${name} is not ready`)
      await setReady(world.records, server, true)
      await untilSaid(world, record, 'ReconcileError', `the connection secret of server ${name} is not available`)
      await giveConnection(world.records, server)
      await untilSaid(world, record, 'ReconcileError', `waiting for the administrator login of server ${name}`)
      await giveAdmin(world.records, server)
      await untilReady(world, record)
      await remove(world, record)
      await untilGone(world, record)
      await removeServer(world.records, server)
    })

    it('say that their server belongs to another project or environment, or is no postgres or mysql database', async () => {
      const foreign = await world.onOwn(undefined, { environment: 'staging' })
      await untilSaid(
        world,
        foreign,
        'ReconcileError',
        `server ${world.own.metadata.name} belongs to another project or environment`,
      )
      const redis = await standInServer(world, { engine: 'redis' })
      const unfit = await createLogical(world, redis.metadata.name)
      await untilSaid(world, unfit, 'ReconcileError', `server ${redis.metadata.name} is no postgres or mysql database`)
      for (const record of [foreign, unfit]) {
        await remove(world, record)
        await untilGone(world, record)
      }
      await removeServer(world.records, redis)
    })

    it('say that the shared server is in another region than the project, and look again when that changes', async () => {
      const other = await openLogicalWorld({ region: 'eu' })
      const record = await createLogical(other, 'shared-postgres')
      await untilSaid(
        other,
        record,
        'ReconcileError',
        'server shared-postgres is in no region and the project in region eu',
      )
      await other.records.projects.edit(other.project.metadata.name, (current) => ({
        ...current,
        spec: { ...current.spec, region: '' },
      }))
      await untilReady(other, record)
      await other.records.projects.remove(other.project.metadata.name, other.project.metadata.uid ?? '')
      await untilGone(other, record)
      await until(other.records.projects, other.project, (seen) => seen === undefined, 'gone')
    })

    it('take an edit of the name that they wait for, and a deletion', async () => {
      const server = await standInServer(world, {}, { ready: false })
      const record = await createLogical(world, server.metadata.name, { databaseName: 'before' })
      await untilSaid(world, record, 'ReconcileError', `server ${server.metadata.name} is not ready`)
      await world.records.logicalDatabases.edit(record.metadata.name, (current) => ({
        ...current,
        spec: { ...current.spec, databaseName: 'after' },
      }))
      const deleted = await createLogical(world, server.metadata.name, { databaseName: 'deleted' })
      await untilSaid(world, deleted, 'ReconcileError', `server ${server.metadata.name} is not ready`)
      await remove(world, deleted)
      await untilGone(world, deleted)
      await setReady(world.records, server, true)
      expect((await untilReady(world, record)).status?.database).to.equal('after')
      await remove(world, record)
      await untilGone(world, record)
      await removeServer(world.records, server)
    })

    it('say creating logical database while their Job runs, and are removed with it', async () => {
      const server = await standInServer(world, { runOn: { tags: ['nowhere'] } })
      const record = await createLogical(world, server.metadata.name)
      await untilSaid(world, record, 'ReconcileError', 'creating logical database')
      const { name } = record.metadata
      await eventually(
        'its Job is there',
        async () => (await jobOf(world, world.place, createJobName(name))) !== undefined,
      )
      expect(logicalDatabaseState((await world.records.logicalDatabases.readLive(name)) ?? record)).to.deep.equal({
        state: 'pending',
        message: 'creating logical database',
      })
      await remove(world, record)
      await untilGone(world, record)
      expect(await jobOf(world, world.place, createJobName(name))).to.equal(undefined)
      await removeServer(world.records, server)
    })
  })
})
