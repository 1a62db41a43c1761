/**
 * Logical databases whose objects disappear, or whose records are deleted, on the simulated cluster. Their servers are
 * stand-ins.
 */
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { createJobName, dropJobName, loginSecretName } from '../../kinds/logical-databases/names.ts'
import { eventually } from '../cluster/eventually.ts'
import { until } from '../harness/records.ts'
import {
  createLogical,
  giveConnection,
  jobOf,
  type ServedWorld,
  mint,
  openServedWorld,
  remove,
  retry,
  removeServer,
  secretOf,
  standInServer,
  untilGone,
  untilReady,
  untilSaid,
} from './logical-world.ts'

describe('logical databases that are there', function () {
  this.timeout(90_000)
  let world: ServedWorld

  before(async () => {
    world = await openServedWorld()
  })
  after(() => world.close())

  describe('when they lose something', () => {
    const drop = (namespace: string, name: string) =>
      world.records.client.delete({ type: coreTypes.secret, namespace, name })

    it('have their connection Secret again, with the same password', async () => {
      const record = await untilReady(world, await world.onShared())
      const name = connectionSecretName(record.metadata.name)
      const before = await secretOf(world, world.place, name)
      await drop(world.place, name)
      await eventually('it is there again', async () => (await secretOf(world, world.place, name)) !== undefined)
      expect(await secretOf(world, world.place, name)).to.deep.equal(before)
      await untilReady(world, record)
    })

    it('have the Secret of their login again, from the connection Secret, and their Job once more', async () => {
      const record = await untilReady(world, await world.onShared())
      const { name } = record.metadata
      const password = (await secretOf(world, systemNamespace, loginSecretName(name)))?.['password']
      const job = await jobOf(world, systemNamespace, createJobName(name))
      await drop(systemNamespace, loginSecretName(name))
      await eventually(
        'it is there again',
        async () => (await secretOf(world, systemNamespace, loginSecretName(name))) !== undefined,
      )
      await eventually('another Job ran', async () => {
        const uid = (await jobOf(world, systemNamespace, createJobName(name)))?.metadata.uid
        return uid !== undefined && uid !== job?.metadata.uid
      })
      await untilReady(world, record)
      expect((await secretOf(world, systemNamespace, loginSecretName(name)))?.['password']).to.equal(password)
      expect((await secretOf(world, world.place, connectionSecretName(name)))?.['password']).to.equal(password)
    })

    it('have their Job again, which repairs login and database on the server', async () => {
      const record = await untilReady(world, await world.onShared())
      const { name } = record.metadata
      const job = await jobOf(world, systemNamespace, createJobName(name))
      await world.records.client.delete(
        { type: coreTypes.job, namespace: systemNamespace, name: createJobName(name) },
        { propagation: 'Background' },
      )
      await eventually('another Job is there', async () => {
        const uid = (await jobOf(world, systemNamespace, createJobName(name)))?.metadata.uid
        return uid !== undefined && uid !== job?.metadata.uid
      })
      await untilReady(world, record)
    })

    it('follow the server when its password was made anew', async () => {
      const record = await untilReady(world, await world.onOwn())
      await world.records.client.patch(
        { type: coreTypes.secret, namespace: world.place, name: connectionSecretName(world.own.metadata.name) },
        { data: { password: Buffer.from('another').toString('base64') } },
      )
      await drop(world.place, connectionSecretName(record.metadata.name))
      await eventually(
        'it has the new password',
        async () =>
          (await secretOf(world, world.place, connectionSecretName(record.metadata.name)))?.['password'] === 'another',
      )
      await giveConnection(world.records, world.own)
    })

    it('leave a Secret of another owner alone, and say so', async () => {
      const name = mint('ldb')
      await world.records.client.create(coreTypes.secret, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: connectionSecretName(name), namespace: world.place },
      })
      const record = await createLogical(world, world.own.metadata.name, { databaseName: 'guarded' }, name)
      await untilSaid(
        world,
        record,
        'ProvisionFailed',
        `Secret ${connectionSecretName(name)} in namespace ${world.place} belongs to another owner; rename the service or remove that object`,
      )
      await drop(world.place, connectionSecretName(name))
      await retry(world, record)
      await untilReady(world, record)
    })
  })

  describe('when they are deleted', () => {
    it("on a project's own server go with Secret and Job; the database stays with the server", async () => {
      const record = await untilReady(world, await world.onOwn())
      const { name } = record.metadata
      await remove(world, record)
      await untilGone(world, record)
      expect(await secretOf(world, world.place, connectionSecretName(name))).to.equal(undefined)
      expect(await jobOf(world, world.place, createJobName(name))).to.equal(undefined)
    })

    it('on the shared server are dropped by a Job, and leave nothing behind', async () => {
      const record = await untilReady(world, await world.onShared())
      const { name } = record.metadata
      await remove(world, record)
      await untilSaid(world, record, 'ReconcileError', 'waiting for the database to be dropped')
      await untilGone(world, record)
      expect(await secretOf(world, world.place, connectionSecretName(name))).to.equal(undefined)
      expect(await secretOf(world, systemNamespace, loginSecretName(name))).to.equal(undefined)
      expect(await jobOf(world, systemNamespace, createJobName(name))).to.equal(undefined)
      const job = dropJobName(record.status?.username ?? '')
      await eventually(
        'the Job of the drop is gone',
        async () => (await jobOf(world, systemNamespace, job)) === undefined,
      )
    })

    it('may be made again under the same name at once, after the drop', async () => {
      const first = await untilReady(world, await world.onShared('again'))
      const password = (await secretOf(world, world.place, connectionSecretName(first.metadata.name)))?.['password']
      await remove(world, first)
      await untilGone(world, first)
      const second = await untilReady(world, await world.onShared('again'))
      expect(second.status?.database).to.equal(first.status?.database)
      expect(
        (await secretOf(world, world.place, connectionSecretName(second.metadata.name)))?.['password'],
      ).not.to.equal(password)
    })

    it('while they are made end without a trace', async () => {
      for (const create of [world.onOwn, world.onShared]) {
        const record = await create()
        await until(world.records.logicalDatabases, record, (seen) => seen?.status?.jobName !== undefined, 'being made')
        const { name } = record.metadata
        await remove(world, record)
        await untilGone(world, record)
        for (const namespace of [world.place, systemNamespace]) {
          expect(await jobOf(world, namespace, createJobName(name))).to.equal(undefined)
          expect(await secretOf(world, namespace, connectionSecretName(name))).to.equal(undefined)
          expect(await secretOf(world, namespace, loginSecretName(name))).to.equal(undefined)
        }
      }
    })

    it('after their server was taken away go at once', async () => {
      const server = await standInServer(world)
      const record = await untilReady(world, await createLogical(world, server.metadata.name))
      await removeServer(world.records, server)
      await remove(world, record)
      await untilGone(world, record)
    })
  })
})
