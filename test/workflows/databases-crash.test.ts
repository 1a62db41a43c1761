/** A worker that dies right before or right after a write of a database's story: the next one ends it, with one server and one set of passwords. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Database } from '../../kinds/databases/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { hintWith, type TestRecords } from '../harness/records.ts'
import { testPolicy, useWorker, withoutWorker } from '../harness/worker.ts'
import { killPolicy, startMortalWorker } from '../kill/enumerated.ts'
import type { MortalProcess } from '../kill/mortal-process.ts'
import { createDatabase, ownedBy, remove, secretTexts, untilGone, untilState } from './database-world.ts'
import { openWorld } from './service-world.ts'

interface Point {
  when: 'before' | 'after'
  write: number
}

// One of each sort of write; SVC_KILL_ALL=1 dies at all of them.
const all = process.env['SVC_KILL_ALL'] !== undefined
const points = (count: number, few: Point[]): Point[] =>
  all ? Array.from({ length: count }, (_, index) => index + 1).flatMap((write) => [{ when: 'before', write } as const, { when: 'after', write } as const]) : few
/** finalizer, taken up, login, administrator, account, volume, Service, StatefulSet, Event, told, version, connection, told, Event, ready */
const making = points(15, [
  { when: 'after', write: 1 },
  { when: 'after', write: 3 },
  { when: 'before', write: 4 },
  { when: 'after', write: 6 },
  { when: 'after', write: 8 },
  { when: 'after', write: 11 },
])
/** taken up, Event, StatefulSet, Service, Event, told, volume, Secrets, account, Event, told, finalizer */
const removing = points(12, [
  { when: 'after', write: 1 },
  { when: 'after', write: 3 },
  { when: 'after', write: 7 },
])
const outlivedMs = 1_500

describe('a worker that dies while it', function () {
  this.timeout(120_000)
  let records: TestRecords
  let project: Project
  let worker: MortalProcess

  before(async function () {
    this.timeout(180_000)
    ;({ records, project } = await openWorld())
    await withoutWorker()
    hintWith(killPolicy)
    worker = await startMortalWorker()
  })
  after(async function () {
    this.timeout(180_000)
    hintWith(testPolicy)
    await worker.kill()
    await useWorker()
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
  })

  const mint = (): string => `db-${randomBytes(4).toString('hex')}`
  const arm = (point: Point, name: string) => worker.arm({ ...point, about: '', names: [name, `data-${name}`] })

  /** Whether it died there; another one runs by then. */
  async function survive(settled: Promise<unknown>): Promise<boolean> {
    settled.catch(() => undefined) // heard by whoever asked
    await Promise.race([worker.gone, settled])
    // The last write of a story is the one that settles it: its death comes a moment later.
    if (worker.alive) await Promise.race([worker.gone, new Promise((resolve) => setTimeout(resolve, outlivedMs))])
    if (worker.alive) return false
    worker = await startMortalWorker()
    return true
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
    const [login, admin, connection] = await Promise.all(['password', 'admin', 'connection'].map((suffix) => secretTexts(records, database, suffix)))
    expect(connection?.['password']).to.equal(login?.['password'])
    expect(admin?.['password']).to.equal(login?.['adminPassword'])
  }

  for (const point of making) {
    it(`makes a database, ${point.when} write ${point.write}, leaves it made once`, async function () {
      const name = mint()
      arm(point, name)
      const database = await createDatabase(records, project, {}, name)
      const settled = untilState(records, database, 'ready')
      const died = await survive(settled)
      if (!died && all) this.skip()
      expect(died, 'the worker died').to.equal(true)
      await settled
      await expectWhole(database)
    })
  }

  for (const point of removing) {
    it(`removes a database, ${point.when} write ${point.write}, leaves nothing of it`, async function () {
      const name = mint()
      const database = await untilState(records, await createDatabase(records, project, {}, name), 'ready')
      arm(point, name)
      await remove(records, database)
      const settled = untilGone(records, database)
      const died = await survive(settled)
      if (!died && all) this.skip()
      expect(died, 'the worker died').to.equal(true)
      await settled
      expect(await ownedBy(records, database)).to.deep.equal([])
    })
  }
})
