/**
 * A worker that dies right before or right after a write for a database: the next worker completes the action, with one
 * server and one set of passwords.
 */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Database } from '../../kinds/databases/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { wakeWith, type TestRecords } from '../harness/records.ts'
import { testPolicy, withoutWorker } from '../harness/worker.ts'
import { killPolicy, startMortalWorker } from '../kill/enumerated.ts'
import type { MortalProcess } from '../kill/mortal-process.ts'
import { atWrites, diesWith, type WritePoint } from '../kill/write-points.ts'
import { createDatabase, ownedBy, remove, secretTexts, untilGone, untilState } from './database-world.ts'
import { openWorld } from './service-world.ts'

/**
 * finalizer, accepted, login, administrator, account, volume, Service, StatefulSet, Event, status, version, connection,
 * status, Event, ready
 */
const making: readonly WritePoint[] = [
  { when: 'after', write: 3 },
  { when: 'after', write: 6 },
  { when: 'after', write: 8 },
]
/** accepted, Event, StatefulSet, Service, Event, status, volume, Secrets, account, Event, status, finalizer */
const removing: readonly WritePoint[] = [
  { when: 'after', write: 3 },
  { when: 'after', write: 7 },
]

describe('a worker that dies while it', function () {
  this.timeout(120_000)
  let records: TestRecords
  let project: Project
  let worker: MortalProcess

  before(async function () {
    this.timeout(180_000)
    ;({ records, project } = await openWorld())
    await withoutWorker()
    wakeWith(killPolicy)
    worker = await startMortalWorker()
  })
  after(async function () {
    this.timeout(180_000)
    wakeWith(testPolicy)
    await worker.kill()
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
  })

  const mint = (): string => `db-${randomBytes(4).toString('hex')}`
  const arm = (point: WritePoint, name: string) => worker.arm({ ...point, about: '', names: [name, `data-${name}`] })

  /** Whether the worker died at the write; another worker runs by then. */
  async function survive(completion: Promise<unknown>): Promise<boolean> {
    const died = await diesWith(worker, completion)
    if (died) worker = await startMortalWorker()
    return died
  }

  async function expectWhole(database: Database): Promise<void> {
    const { name } = database.metadata
    expect(await ownedBy(records, database)).to.deep.equal([
      `PersistentVolumeClaim data-${name}-0`,
      `Pod ${name}-0`,
      `Secret ${name}-admin`,
      `Secret ${name}-connection`,
      `Secret ${name}-password`,
      `Service ${name}-rw`,
      `ServiceAccount ${name}`,
      `StatefulSet ${name}`,
    ])
    const [login, admin, connection] = await Promise.all(
      ['password', 'admin', 'connection'].map((suffix) => secretTexts(records, database, suffix)),
    )
    expect(connection?.['password']).to.equal(login?.['password'])
    expect(admin?.['password']).to.equal(login?.['adminPassword'])
  }

  atWrites(
    making,
    (where) => `makes a database, ${where}, leaves it made once`,
    async (point) => {
      const name = mint()
      arm(point, name)
      const database = await createDatabase(records, project, {}, name)
      const completion = untilState(records, database, 'ready')
      const died = await survive(completion)
      await completion
      await expectWhole(database)
      return died
    },
  )

  atWrites(
    removing,
    (where) => `removes a database, ${where}, leaves nothing of it`,
    async (point) => {
      const name = mint()
      const database = await untilState(records, await createDatabase(records, project, {}, name), 'ready')
      arm(point, name)
      await remove(records, database)
      const completion = untilGone(records, database)
      const died = await survive(completion)
      await completion
      expect(await ownedBy(records, database)).to.deep.equal([])
      return died
    },
  )
})
