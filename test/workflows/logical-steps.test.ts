/**
 * The steps of a logical database one by one, on the simulated cluster and without a worker: each runs twice; and what
 * each waits for.
 */
import { expect } from 'chai'
import { createLogicalDatabaseActivities } from '../../activities/logical-databases/activities.ts'
import { awaitPlace, awaitServer } from '../../activities/logical-databases/await-server.ts'
import { dropDatabase } from '../../activities/logical-databases/remove.ts'
import type { ActivityNeeds, CachedNamespace } from '../../activities/context/needs.ts'
import type { StepInput, StepResult } from '../../activities/provision/context.ts'
import { ResourceCache } from '../../cluster/cache/cache.ts'
import { silentLog } from '../../cluster/objects/log.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { standardPolicy } from '../../durable/policy.ts'
import { finalizers } from '../../kinds/meta/annotations.ts'
import { connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { logicalDatabaseRules } from '../../kinds/logical-databases/rules.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { createJobName, dropJobName, loginSecretName } from '../../kinds/logical-databases/names.ts'
import { provisionPlan } from '../../kinds/provision/plan.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { recordStore } from '../../records/store/record-store.ts'
import { eventually } from '../cluster/eventually.ts'
import { until } from '../harness/records.ts'
import { useWorker, withoutWorker } from '../harness/worker.ts'
import { mortalClient } from '../kill/mortal-client.ts'
import {
  createLogical,
  jobOf,
  type LogicalWorld,
  mint,
  openLogicalWorld,
  remove,
  removeServer,
  secretOf,
  setReady,
  standInServer,
} from './logical-world.ts'

const never = Number.MAX_SAFE_INTEGER

describe('the steps of a logical database', function () {
  this.timeout(90_000)
  let world: LogicalWorld
  let needs: ActivityNeeds
  let writes: () => number
  let later = 0
  const stops: (() => Promise<void>)[] = []

  before(async () => {
    await useWorker()
    world = await openLogicalWorld()
    await withoutWorker()
    const { records } = world
    const counted = mortalClient(records.client, () => {
      throw new Error('no process dies here')
    })
    counted.arm({ when: 'before', write: never, about: '' })
    writes = counted.writes
    const namespaces = new ResourceCache<CachedNamespace>({
      client: records.client,
      type: coreTypes.namespace,
      log: silentLog,
    })
    const indexes = { project: ({ spec }: LogicalDatabase) => [spec.project] }
    const logicals = new ResourceCache<LogicalDatabase>({
      client: records.client,
      type: resourceTypes.logicalDatabase,
      namespace: systemNamespace,
      log: silentLog,
      indexes,
    })
    for (const cache of [namespaces, logicals]) {
      await cache.start()
      stops.push(() => cache.stop())
    }
    needs = {
      ...records,
      client: counted.client,
      logicalDatabases: recordStore(counted.client, logicals, resourceTypes.logicalDatabase),
      access: async () => true, // the workflow of the project binds the access
      children: { namespaces },
      now: () => new Date(Date.now() + later),
      dropMs: standardPolicy.dropMs,
      log: silentLog,
    } as unknown as ActivityNeeds // all that these steps use
  })
  after(async () => {
    await Promise.all(stops.map((stop) => stop()))
    await useWorker()
    const { records, project } = world
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
    await until(records.projects, project, (record) => record === undefined, 'gone')
  })

  const live = async ({ metadata: { name } }: LogicalDatabase) => {
    const record = await world.records.logicalDatabases.readLive(name)
    if (record === undefined) throw new Error('the record is gone')
    return record
  }
  const asked = async (record: LogicalDatabase): Promise<StepInput> => {
    const { name, uid, intent } = provisionPlan(logicalDatabaseRules, record.metadata.name, await live(record))
    return { name, uid, intent }
  }

  /** The result of the step, which runs twice: the second run must write nothing and have the same result. */
  async function twice(step: (input: StepInput) => Promise<StepResult>, record: LogicalDatabase): Promise<string> {
    const input = await asked(record)
    const first = await step(input)
    const before = writes()
    const second = await step(input)
    expect(writes() - before, 'writes of the second run').to.equal(0)
    expect([second.outcome, second.message]).to.deep.equal([first.outcome, first.message])
    return `${first.outcome} ${first.message}`.trim()
  }

  async function makeAll(record: LogicalDatabase): Promise<void> {
    const steps = createLogicalDatabaseActivities(needs)
    const { name } = record.metadata
    const namespace = record.spec.serverRef === 'shared-postgres' ? systemNamespace : world.place
    expect(await twice(steps.takeUpLogicalDatabase, record)).to.equal('done')
    expect(await twice(steps.awaitLogicalDatabasePlace, record)).to.equal('done')
    expect(await twice(steps.awaitLogicalDatabaseServer, record)).to.equal('done')
    expect(await twice(steps.keepLogicalDatabaseLogin, record)).to.equal('done')
    await steps.runLogicalDatabaseCreation(await asked(record))
    await untilOver(namespace, createJobName(name))
    expect(await twice(steps.runLogicalDatabaseCreation, record)).to.equal('done')
    expect(await twice(steps.keepLogicalDatabaseConnection, record)).to.equal('done')
    expect(await twice(steps.finishLogicalDatabase, record)).to.equal('done Logical database connection is available')
  }
  const untilOver = (namespace: string, name: string) =>
    eventually(`Job ${name} is over`, async () => {
      const job: (KubeObject & { status?: { conditions?: { type: string; status: string }[] } }) | undefined =
        await jobOf(world, namespace, name)
      return job?.status?.conditions?.some(({ type, status }) => type === 'Complete' && status === 'True') === true
    })
  const release = ({ metadata: { name } }: LogicalDatabase) =>
    world.records.client.patch(
      { type: resourceTypes.logicalDatabase, namespace: systemNamespace, name },
      { metadata: { finalizers: null } },
    )

  for (const [where, spec] of [
    ["a project's own server", {}],
    ['the shared server', { name: 'shared-postgres', project: '', environment: '' }],
  ] as const) {
    it(`on ${where} change nothing when they run again`, async () => {
      const server = await standInServer(world, spec)
      const record = await createLogical(world, server.metadata.name)
      const { name } = record.metadata
      await makeAll(record)
      await remove(world, record)
      const steps = createLogicalDatabaseActivities(needs)
      const through = async (step: (input: StepInput) => Promise<StepResult>, awaited: string) =>
        eventually(awaited, async () => {
          const { outcome, message } = await step(await asked(record))
          if (outcome !== 'done') expect(`${outcome} ${message}`).to.equal(`waiting ${awaited}`)
          return outcome === 'done'
        })
      expect(await twice(steps.takeUpLogicalDatabase, record)).to.equal('done')
      await through(steps.stopLogicalDatabaseCreation, 'waiting for the creation to stop')
      expect(await twice(steps.stopLogicalDatabaseCreation, record)).to.equal('done')
      await through(steps.dropLogicalDatabase, 'waiting for the database to be dropped')
      expect(await twice(steps.dropLogicalDatabase, record)).to.equal('done')
      const { username = '' } = (await live(record)).status ?? {}
      expect(await twice(steps.removeLogicalDatabaseLeftovers, record)).to.equal('done')
      await eventually(
        'the Job of the drop is gone',
        async () => (await jobOf(world, systemNamespace, dropJobName(username))) === undefined,
      )
      expect(await secretOf(world, world.place, connectionSecretName(name))).to.equal(undefined)
      expect(await secretOf(world, systemNamespace, loginSecretName(name))).to.equal(undefined)
      const input = await asked(record)
      expect((await steps.letLogicalDatabaseGo(input)).story).to.equal('rest')
      expect((await steps.letLogicalDatabaseGo(input)).story).to.equal('rest')
      expect(await world.records.logicalDatabases.readLive(name)).to.equal(undefined)
      await removeServer(world.records, server)
    })
  }

  it('release the record after three minutes in which the server did not answer, and say what stays there', async () => {
    const server = await standInServer(world, { name: 'shared-postgres', project: '', environment: '' })
    const record = await createLogical(world, server.metadata.name, { databaseName: 'kept' })
    await makeAll(record)
    const { database = '', username = '' } = (await live(record)).status ?? {}
    await world.records.databases.edit(server.metadata.name, (current) => ({
      ...current,
      spec: { ...current.spec, runOn: { tags: ['nowhere'] } },
    }))
    await remove(world, record)
    const drop = async () => dropDatabase(needs)(await live(record))
    expect(await drop()).to.deep.equal({ outcome: 'waiting', message: 'waiting for the database to be dropped' })
    later = standardPolicy.dropMs - 30_000
    expect((await drop())?.message).to.equal('waiting for the database to be dropped')
    later = standardPolicy.dropMs
    expect(await drop()).to.equal(undefined)
    expect(await drop()).to.equal(undefined)
    const { items } = await world.records.client.list<
      KubeObject & { reason: string; message: string; involvedObject: { uid: string } }
    >(coreTypes.event, {
      namespace: systemNamespace,
    })
    const abandoned = items.filter(
      ({ reason, involvedObject }) => reason === 'NotDropped' && involvedObject.uid === record.metadata.uid,
    )
    expect(abandoned.map(({ message }) => message)).to.deep.equal([
      `the database ${database} and the login ${username} are still on server shared-postgres; the Job ${dropJobName(username)} goes on trying for a day`,
    ])
    const steps = createLogicalDatabaseActivities(needs)
    await steps.removeLogicalDatabaseLeftovers(await asked(record))
    expect(await jobOf(world, systemNamespace, dropJobName(username)), 'it goes on').not.to.equal(undefined)
    await steps.letLogicalDatabaseGo(await asked(record))
    later = 0

    // A logical database of the same name waits for that drop and is not affected by it.
    const next = await createLogical(world, server.metadata.name, { databaseName: 'kept' })
    await steps.takeUpLogicalDatabase(await asked(next))
    const waiting = 'waiting waiting for the earlier database of this name to be dropped'
    expect(await twice(steps.keepLogicalDatabaseLogin, next)).to.equal(waiting)
    await world.records.client.delete(
      { type: coreTypes.job, namespace: systemNamespace, name: dropJobName(username) },
      { propagation: 'Background' },
    )
    expect(await twice(steps.keepLogicalDatabaseLogin, next)).to.equal('done')
    await steps.removeLogicalDatabaseLeftovers(await asked(next))
    await remove(world, next)
    await release(next)
    await removeServer(world.records, server)
  })

  it('wait for a project that is not ready', async () => {
    const server = await standInServer(world)
    const record = await createLogical(world, server.metadata.name)
    const unready = { ...world.project, status: { ...world.project.status, conditions: [] } }
    const projects = { ...needs.projects, read: async () => unready }
    expect(await awaitPlace({ ...needs, projects })(record)).to.deep.equal({
      outcome: 'waiting',
      message: `project ${world.project.metadata.name} is not ready`,
    })
    expect(await awaitPlace(needs)(record)).to.equal(undefined)
    await remove(world, record)
    await removeServer(world.records, server)
  })

  it('wait for a server that is being deleted, or has no connection secret', async () => {
    const server = await standInServer(world)
    const { name } = server.metadata
    const record = await createLogical(world, name)
    await world.records.client.patch(
      { type: resourceTypes.database, namespace: systemNamespace, name },
      { status: { connectionSecret: null } },
      { subresource: 'status' },
    )
    await world.records.databases.readLive(name)
    expect((await awaitServer(needs)(record))?.message).to.equal(`server ${name} has no connection secret`)
    await setReady(world.records, server, true)
    await world.records.client.patch(
      { type: resourceTypes.database, namespace: systemNamespace, name },
      { metadata: { finalizers: [finalizers.objectStore] } },
    )
    await world.records.databases.remove(name, server.metadata.uid ?? '')
    await world.records.databases.readLive(name)
    expect((await awaitServer(needs)(record))?.message).to.equal(`server ${name} is being deleted`)
    await remove(world, record)
    await removeServer(world.records, server)
  })

  it('make no second login where the first is in the Secret and not in the record', async () => {
    const server = await standInServer(world, { name: 'shared-postgres', project: '', environment: '' })
    const record = await createLogical(world, server.metadata.name, { databaseName: mint('db').replace('-', '_') })
    const { name } = record.metadata
    const steps = createLogicalDatabaseActivities(needs)
    await steps.takeUpLogicalDatabase(await asked(record))
    await steps.keepLogicalDatabaseLogin(await asked(record))
    const stored = await secretOf(world, systemNamespace, loginSecretName(name))
    const forgotten = { status: { database: null, username: null, jobName: null } }
    await world.records.client.patch(
      { type: resourceTypes.logicalDatabase, namespace: systemNamespace, name },
      forgotten,
      { subresource: 'status' },
    )
    await steps.keepLogicalDatabaseLogin(await asked(record))
    expect(await secretOf(world, systemNamespace, loginSecretName(name))).to.deep.equal(stored)
    expect((await live(record)).status).to.include({ database: stored?.['database'], username: stored?.['username'] })
    await steps.removeLogicalDatabaseLeftovers(await asked(record))
    await remove(world, record)
    await release(record)
    await removeServer(world.records, server)
  })
})
