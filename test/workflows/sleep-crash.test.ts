/**
 * A worker that dies before or after a write of falling asleep, of a deploy of a sleeping service, and of sleep's end:
 * in that moment either the add-on can wake the service or it has copies, and the next worker completes it.
 */
import { expect } from 'chai'
import type { App } from '../../kinds/apps/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { installSleepKinds } from '../harness/keda/install.ts'
import { createProject, deploy, type TestRecords, until, untilState, useRecords, wakeWith } from '../harness/records.ts'
import { testPolicy, withoutWorker } from '../harness/worker.ts'
import { killPolicy, startMortalWorker } from '../kill/enumerated.ts'
import type { MortalProcess } from '../kill/mortal-process.ts'
import { attemptIn, edit, untilSetUp } from './service-world.ts'
import { createSleeper, sleepReader } from './sleep-world.ts'

type Reader = ReturnType<typeof sleepReader>

const setSleep = (records: TestRecords, app: App, enabled: boolean) =>
  edit(records, app, ({ scaleToZero }) => ({ scaleToZero: { ...scaleToZero, enabled } }))

interface Case {
  what: string
  /** Some of the writes about the service, by their number; all from the second to the fifth were tried. */
  points: readonly (readonly ['before' | 'after', write: number])[]
  asleep: boolean
  act: (records: TestRecords, app: App) => Promise<unknown>
  /** Whether its copies are the add-on's in the end. */
  sleeps: boolean
}

const cases: readonly Case[] = [
  {
    what: 'the end of its sleep',
    points: [
      ['after', 3],
      ['before', 5],
    ],
    asleep: true,
    act: (records, app) => setSleep(records, app, false),
    sleeps: false,
  },
  { what: 'its deploy', points: [['after', 6]], asleep: true, act: deploy, sleeps: true },
  {
    what: 'its first way to the add-on',
    points: [['after', 3]],
    asleep: false,
    act: (records, app) => setSleep(records, app, true),
    sleeps: true,
  },
]

describe('a worker that dies while a service is scaled to zero or up again', function () {
  this.timeout(120_000)
  let records: TestRecords
  let project: Project
  let worker: MortalProcess
  let uninstall: (() => Promise<void>) | undefined

  before(async () => {
    records = await useRecords()
    await withoutWorker()
    wakeWith(killPolicy)
    uninstall = await installSleepKinds(records.client)
    worker = await startMortalWorker()
    project = await createProject(records)
    await untilSetUp(records, project)
  })
  after(async () => {
    wakeWith(testPolicy)
    await worker.kill()
    await uninstall?.()
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
  })

  /** Requests go through the interceptor, whose scaler is there, or to copies. */
  const canAnswer = async (app: App, on: Reader): Promise<boolean> => {
    const [copies, leadsTo, route, scaler] = await Promise.all([on.copies(), on.leadsTo(), on.route(), on.scaler()])
    if ((copies ?? 0) > 0) return true
    return leadsTo !== app.metadata.name && route !== undefined && scaler !== undefined
  }

  const start = async (asleep: boolean): Promise<{ app: App; on: Reader }> => {
    const made = await createSleeper(records, project, {
      scaleToZero: { enabled: asleep, idleSeconds: 60 },
    })
    const on = sleepReader(records, made)
    const app = await untilState(records, made, 'ready', attemptIn(await deploy(records, made)))
    if (asleep) {
      await on.untilSays(true)
      await on.scale(0)
      await on.untilAsleep(true)
    }
    return { app, on }
  }

  for (const { what, points, asleep, act, sleeps } of cases)
    for (const [when, write] of points)
      it(`${when} write ${write} of ${what} leaves one that can be woken, and the next worker completes it`, async () => {
        const { app, on } = await start(asleep)
        worker.arm({ when, write, about: app.metadata.name })
        await act(records, app)
        await Promise.race([worker.gone, new Promise((resolve) => setTimeout(resolve, 20_000))])
        expect(worker.alive, 'the worker died').to.equal(false)
        expect(await canAnswer(app, on), 'it can be woken').to.equal(true)
        worker = await startMortalWorker()
        await until(
          records.apps,
          app,
          (record) => (record?.status?.scaleToZero?.active ?? false) === sleeps,
          sleeps ? 'asleep or able to' : 'awake for good',
        )
        await untilState(records, app, 'ready')
        expect(await on.copies()).to.equal(sleeps && asleep && what !== 'its deploy' ? 0 : 1)
        expect([await on.route(), await on.scaler()].map((part) => part !== undefined)).to.deep.equal([sleeps, sleeps])
        if (sleeps) expect((await on.scaler())?.spec.minReplicaCount).to.equal(0)
        expect((await on.leadsTo()) === app.metadata.name).to.equal(!sleeps)
      })
})
