/**
 * A role or database of a logical database is removed by hand on a real PostgreSQL; the test plays the record of the
 * server and the pods of the Jobs.
 */
import { expect } from 'chai'
import { lostOnDatabaseServers } from '../../activities/logical-databases/lost-on-server.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { createJobName } from '../../kinds/logical-databases/names.ts'
import { type Engine, engineWithinMs, startPostgres } from '../harness/engines.ts'
import { resyncUntil } from '../harness/resync.ts'
import {
  giveConnection,
  jobOf,
  openServedWorld,
  secretOf,
  type ServedWorld,
  serverLogin,
  serverPassword,
  untilReady,
} from './logical-world.ts'

interface Login {
  database: string
  username: string
  password: string
}

describe('logical databases whose server is changed by hand', function () {
  this.timeout(90_000)
  let world: ServedWorld
  let server: Engine

  before(async function () {
    this.timeout(engineWithinMs)
    server = await startPostgres()
    world = await openServedWorld()
    for (const record of [world.own, world.shared]) await giveConnection(world.records, record, server)
    await byHand(`CREATE ROLE "${serverLogin}" LOGIN PASSWORD '${serverPassword}'`)
  })
  after(async () => {
    await world.close()
    await server.stop()
  })

  async function byHand(...statements: string[]): Promise<void> {
    for (const statement of statements) {
      const { code, stderr } = await server.sql(server.admin, 'postgres', statement)
      expect(code, stderr).to.equal(0)
    }
  }
  async function loginOf(record: LogicalDatabase): Promise<Login> {
    const {
      database = '',
      username = '',
      password = '',
    } = (await secretOf(world, world.place, connectionSecretName(record.metadata.name))) ?? {}
    return { database, username, password }
  }
  const isLost = async (record: LogicalDatabase): Promise<boolean> =>
    (await lostOnDatabaseServers(world.records)).some(({ metadata }) => metadata.name === record.metadata.name)
  /** What the Job does; its pod is played. */
  const make = ({ database, username, password }: Login) =>
    byHand(
      `CREATE ROLE "${username}" LOGIN PASSWORD '${password}'`,
      `CREATE DATABASE "${database}" OWNER "${username}"`,
    )
  const made = async (): Promise<{ record: LogicalDatabase; login: Login }> => {
    const record = await untilReady(world, await world.onShared())
    const login = await loginOf(record)
    await make(login)
    return { record, login }
  }

  it('are noticed when their database, their login or its password is gone, and not while the server does not answer', async () => {
    const { record, login } = await made()
    const { database, username, password } = login
    expect(await isLost(record), 'whole').to.equal(false)
    await byHand(`ALTER ROLE "${username}" PASSWORD 'another'`)
    expect(await isLost(record), 'another password').to.equal(true)
    await byHand(`ALTER ROLE "${username}" PASSWORD '${password}'`, `DROP DATABASE "${database}"`)
    expect(await isLost(record), 'no database').to.equal(true)
    await byHand(`DROP ROLE "${username}"`)
    expect(await isLost(record), 'no login').to.equal(true)
    await server.kill()
    expect(await isLost(record), 'no server').to.equal(false)
    await server.start()
    await make(login)
    expect(await isLost(record), 'whole again').to.equal(false)
  })

  it('are let alone where a limit or the login of the server itself is what refuses them', async () => {
    const { record, login } = await made()
    await byHand(`ALTER ROLE "${login.username}" CONNECTION LIMIT 0`)
    expect(await isLost(record), 'no connection left').to.equal(false)
    const own = await untilReady(world, await world.onOwn())
    const { database, username } = await loginOf(own)
    await byHand(`CREATE DATABASE "${database}" OWNER "${username}"`, `ALTER ROLE "${username}" PASSWORD 'another'`)
    expect(await isLost(own), 'the login of the server').to.equal(false)
    await byHand(`ALTER ROLE "${username}" PASSWORD '${serverPassword}'`, `DROP DATABASE "${database}"`)
    expect(await isLost(own), 'no database').to.equal(true)
  })

  it('do not hold up the comparison of the others where their connection Secret is of another record', async () => {
    const [{ record }, { record: other, login }] = [await made(), await made()]
    const ref = { type: coreTypes.secret, namespace: world.place, name: connectionSecretName(record.metadata.name) }
    await byHand(`DROP DATABASE "${login.database}"`)
    await world.records.client.patch(ref, { metadata: { labels: { [labels.owner]: 'somebody-else' } } })
    expect([await isLost(record), await isLost(other)]).to.deep.equal([false, true])
  })

  it('are made again by another Job, which the resync asks for', async () => {
    const { record, login } = await made()
    const jobNow = async () => (await jobOf(world, systemNamespace, createJobName(record.metadata.name)))?.metadata.uid
    const before = await jobNow()
    await byHand(`DROP DATABASE "${login.database}"`)
    await resyncUntil('another Job is there', async () => ![undefined, before].includes(await jobNow()))
    await untilReady(world, record)
    expect(await loginOf(record)).to.deep.equal(login)
  })
})
