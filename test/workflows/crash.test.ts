/**
 * Processes that die right before or right after a write: the retry of the request and the next worker complete the
 * action.
 */
import { expect } from 'chai'
import { viewOf } from '../../kinds/apps/view.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { mintRecordName } from '../../records/apps/accept-deploy.ts'
import { setSecret } from '../../records/apps/secrets.ts'
import {
  createApp,
  createProject,
  deploy,
  wakeWith,
  type TestRecords,
  until,
  untilState,
  useRecords,
} from '../harness/records.ts'
import { testPolicy, withoutWorker } from '../harness/worker.ts'
import { type Acceptor, startAcceptor } from '../kill/acceptor.ts'
import { dieAt, elsewhere, killPolicy, type Point, startMortalWorker } from '../kill/enumerated.ts'
import type { MortalProcess } from '../kill/mortal-process.ts'
import { orphanBreaches } from '../kill/orphan-breaches.ts'
import { serviceBreaches } from '../kill/service-breaches.ts'
import { pointsOf } from '../kill/write-points.ts'

// One write of each sort; `npm run test:kill -- --enumerate` lists all of them.
const points: readonly Point[] = [
  { scenario: 'a first deploy', when: 'before', write: 1 },
  { scenario: 'a first deploy', when: 'after', write: 5 },
  { scenario: 'a first deploy', when: 'after', write: 8 },
  { scenario: 'a deploy that supersedes one that waits for its image', when: 'after', write: 2 },
  { scenario: 'a deploy whose copies keep exiting', when: 'after', write: 10 },
  { scenario: 'a failed deploy that is taken back', when: 'after', write: 11 },
  { scenario: 'a move to another environment', when: 'after', write: 14 },
  { scenario: 'a deletion', when: 'after', write: 4 },
  { scenario: 'a first deploy with a volume', when: 'after', write: 2 },
  { scenario: 'a deletion with a volume', when: 'after', write: 6 },
]

describe('a process that dies', function () {
  this.timeout(60_000)
  let records: TestRecords
  let project: Project
  let worker: MortalProcess
  let acceptor: Acceptor

  before(async function () {
    this.timeout(180_000) // three processes start, on a machine that may be busy
    records = await useRecords()
    await withoutWorker()
    // A worker takes seconds to restart; the attempt of the dead worker must not time out meanwhile.
    wakeWith(killPolicy)
    worker = await startMortalWorker()
    acceptor = await startAcceptor()
    project = await createProject(records, { environments: ['production', elsewhere] })
    await until(
      records.projects,
      project,
      (record) => record?.status?.conditions?.some((it) => it.status === 'True') === true,
      'ready',
    )
  })
  after(async function () {
    wakeWith(testPolicy)
    await Promise.all([worker.kill(), acceptor.kill()])
  })

  for (const point of points) {
    it(`as worker, ${point.when} write ${point.write} of ${point.scenario}, changes nothing about how that ends`, async () => {
      const end = await dieAt(point, records, project, worker)
      worker = end.worker
      expect(end.died, 'the worker died').to.equal(true)
      expect(end.expected === undefined ? [] : await serviceBreaches(records.client, end.expected)).to.deep.equal([])
      expect(await orphanBreaches(records.client, [project.metadata.name])).to.deep.equal([])
    })
  }

  // Write 1 freezes the secrets, 2 is the record, 3 the deployment record.
  const accepting = pointsOf(
    [
      ['before', 1],
      ['after', 1],
      ['after', 2],
      ['after', 3],
    ] as const,
    [
      ['before', 2],
      ['before', 3],
    ] as const,
  )
  for (const [when, write] of accepting) {
    it(`while it accepts a deploy, ${when} write ${write}, has accepted it once when it is asked again`, async () => {
      const app = (await setSecret(records, await createApp(records, project), 'SECRET', 'unread')).app
      const { name } = app.metadata
      const record = mintRecordName(name)
      acceptor.arm({ when, write, about: name })
      const lost = await acceptor.ask({ verb: 'deploy', name, record })
      await acceptor.gone
      acceptor = await startAcceptor()
      expect(lost.outcome).to.equal('unanswered')
      expect(await acceptor.ask({ verb: 'deploy', name, record })).to.include({
        outcome: 'accepted',
        attempt: record,
      })
      await untilState(records, app, 'ready', record)
      expect(
        await serviceBreaches(records.client, {
          name,
          state: 'ready',
          image: 'svc/hello:1',
          replicas: 1,
          config: {},
          secrets: { SECRET: 'unread' },
          attempts: [record],
        }),
      ).to.deep.equal([])
    })
  }

  it('as worker before three deploys and as api within the first of them leaves each with its record and its end', async () => {
    const app = await createApp(records, project, { configData: { GREETING: 'hello' } })
    const { name } = app.metadata
    await worker.kill()
    acceptor.arm({ when: 'after', write: 1, about: name })
    const unanswered = mintRecordName(name)
    await acceptor.ask({ verb: 'deploy', name, record: unanswered })
    await until(
      records.apps,
      app,
      (record) => record !== undefined && viewOf(record).attempt?.record === unanswered,
      'accepted',
    )
    const accepted = [await deploy(records, app), await deploy(records, app)]
    ;[worker, acceptor] = await Promise.all([startMortalWorker(), startAcceptor()])
    const attempts = [unanswered, ...accepted.map((record) => viewOf(record).attempt?.record ?? '')]
    await untilState(records, app, 'ready', attempts.at(-1))
    expect(
      await serviceBreaches(records.client, {
        name,
        state: 'ready',
        image: 'svc/hello:1',
        replicas: 1,
        config: { GREETING: 'hello' },
        secrets: {},
        attempts,
      }),
    ).to.deep.equal([])
  })

  it('after it wrote the record, the deploy goes on without another request', async () => {
    const app = await createApp(records, project)
    const { name } = app.metadata
    const record = mintRecordName(name)
    acceptor.arm({ when: 'after', write: 1, about: name })
    await acceptor.ask({ verb: 'deploy', name, record })
    const ready = await untilState(records, app, 'ready', record)
    expect(viewOf(ready).attempt?.record).to.equal(record)
    expect((await records.deployments.readLive(record))?.spec.app).to.equal(name)
    acceptor = await startAcceptor()
  })
})
