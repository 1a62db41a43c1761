/**
 * A worker that dies right before or right after a write for the environment of a pull request: it ends as open or
 * gone, with one comment and nothing twice.
 */
import { expect } from 'chai'
import { appState } from '../../kinds/apps/state.ts'
import { eventually } from '../cluster/eventually.ts'
import { wakeWith } from '../harness/records.ts'
import { testPolicy, withoutWorker } from '../harness/worker.ts'
import { killPolicy, startMortalWorker } from '../kill/enumerated.ts'
import type { MortalProcess } from '../kill/mortal-process.ts'
import { atWrites, diesWith, type WritePoint } from '../kill/write-points.ts'
import { type Base, openPullRequestWorld, type PullRequestWorld, untilClosed, untilCopy } from './pull-request-world.ts'

const commit = '7'.repeat(40)
/** With the start of the next worker, and the removal of a namespace by the cluster. */
const waitMs = 60_000

const opening: readonly WritePoint[] = [
  { when: 'before', write: 4 },
  { when: 'after', write: 8 },
]
const closing: readonly WritePoint[] = [{ when: 'before', write: 3 }]

describe('a worker that dies while it', function () {
  this.timeout(150_000)
  let world: PullRequestWorld
  let worker: MortalProcess
  let base: Base
  let number = 0

  before(async function () {
    this.timeout(180_000)
    process.env['SVC_TEST_PATIENCE_MS'] = String(waitMs)
    await withoutWorker()
    wakeWith(killPolicy)
    world = await openPullRequestWorld(killPolicy)
    worker = await startMortalWorker({}, undefined, world.env)
    base = await world.makeBase()
  })
  after(async () => {
    delete process.env['SVC_TEST_PATIENCE_MS']
    wakeWith(testPolicy)
    await worker?.kill()
    await world?.close()
    await world.records.projects.remove(base.project.metadata.name, base.project.metadata.uid ?? '')
  })

  /** Whether the worker died at the write; another worker runs by then. */
  async function survive(completion: Promise<unknown>): Promise<boolean> {
    const died = await diesWith(worker, completion)
    if (died) worker = await startMortalWorker({}, undefined, world.env)
    return died
  }
  const arm = (point: WritePoint): void => {
    const copies = [base.built, base.plain].map(({ metadata }) => `${metadata.name}-pr-${number}`)
    worker.arm({ ...point, about: '', names: [base.project.metadata.name, ...copies] })
  }
  const opened = async (): Promise<void> => {
    const { records, untilRuns, saidOn } = world
    await untilRuns(base.built, `pr-${number}`, commit)
    await untilCopy(records, base.plain, `pr-${number}`, (copy) => appState(copy).state === 'ready', 'ready')
    const isSaid = () => saidOn(base.repository, number)[0]?.match(/ ready /g)?.length === 2
    await eventually('the comment says that both are ready', isSaid, waitMs)
  }
  const closed = (): Promise<unknown> => untilClosed(world.records, base.project, `pr-${number}`)

  atWrites(
    opening,
    (where) => `opens one, ${where}, leaves it whole, each service deployed once`,
    async (point) => {
      const { records, happens, saidOn } = world
      number += 1
      arm(point)
      await happens(base.repository, number, commit)
      const completion = opened()
      const died = await survive(completion)
      await completion
      const builds = records.builds.cache.list().filter(({ spec }) => spec.environment === `pr-${number}`)
      expect(builds).to.have.length(1)
      expect(saidOn(base.repository, number)).to.have.length(1)
      await happens(base.repository, number, commit, { state: 'closed' })
      await closed()
      return died
    },
  )

  atWrites(
    closing,
    (where) => `closes one, ${where}, leaves nothing of it`,
    async (point) => {
      const { records, happens, saidOn } = world
      number += 1
      await happens(base.repository, number, commit)
      await opened()
      arm(point)
      await happens(base.repository, number, commit, { state: 'closed' })
      const completion = closed()
      const died = await survive(completion)
      await completion
      const left = records.apps.cache.list().filter(({ spec }) => spec.environment === `pr-${number}`)
      expect(left.map(({ metadata }) => metadata.name)).to.deep.equal([])
      expect(saidOn(base.repository, number)).to.have.length(1)
      expect(saidOn(base.repository, number)[0]).to.contain('The environment is gone')
      return died
    },
  )
})
