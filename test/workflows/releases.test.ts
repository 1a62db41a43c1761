/**
 * Two releases of svc at the same time: one has the work, it is handed over once, and never by itself to an older
 * release that is not alone.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { workflowId } from '../../durable/ids.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { startTemporal } from '../../one-machine/index.ts'
import { readReleases } from '../../temporal/releases/deployment.ts'
import { loadRelease } from '../../temporal/releases/release.ts'
import { eventually } from '../cluster/eventually.ts'
import { otherRelease } from '../harness/other-release.ts'
import { createApp, createProject, deploy, type TestRecords, untilState, useRecords } from '../harness/records.ts'
import { useStack } from '../harness/stack.ts'
import { useClient } from '../harness/temporal-client.ts'
import { startTestWorker, type TestWorker, withoutWorker } from '../harness/worker.ts'
import { attemptIn, untilSetUp } from './service-world.ts'

const waitMs = 60_000
/** A short interval, so that a worker that would take over does so within the test. */
const looks = { releaseLookMs: 200 }

describe('of two releases', function () {
  this.timeout(180_000)
  let records: TestRecords
  let project: Project
  let made = 0
  const running: TestWorker[] = []

  /** A release that has not run yet: its bundle and its name. */
  const freshRelease = async () => {
    const path = await otherRelease(`await sleep(${++made})`)
    return { path, ...(await loadRelease(path)) }
  }

  const startRelease = async ({ path }: { path: string }, policy = {}): Promise<TestWorker> => {
    const worker = await startTestWorker({ ...looks, ...policy }, 'temporal/main.ts', {
      SVC_WORKFLOW_BUNDLE: path,
      SVC_RELEASES: 'newest',
    })
    running.push(worker)
    return worker
  }

  const current = async (): Promise<string | undefined> => (await readReleases(await useClient())).current

  /** Deploys a service; resolves with the releases that did its workflow tasks. */
  const workersOf = async (): Promise<string[]> => {
    const app: App = await createApp(records, project)
    const accepted = await deploy(records, app)
    await untilState(records, app, 'ready', attemptIn(accepted))
    const { events } = await (await useClient()).workflow.getHandle(workflowId('app', app.metadata.name)).fetchHistory()
    const builds = (events ?? []).flatMap(
      ({ workflowTaskCompletedEventAttributes: done }) => done?.deploymentVersion?.buildId ?? [],
    )
    return [...new Set(builds)]
  }

  const command = async (...args: string[]): Promise<string> => {
    const { temporalAddress } = await useStack()
    const env = { ...process.env, SVC_TEMPORAL_ADDRESS: temporalAddress }
    return (await promisify(execFile)(process.execPath, ['deploy/release.ts', ...args], { env })).stdout
  }

  before(async () => {
    records = await useRecords()
    await withoutWorker()
    const worker = await startTestWorker()
    project = await createProject(records)
    await untilSetUp(records, project)
    await worker.stop()
  })
  afterEach(async () => {
    await Promise.all(running.splice(0).map((worker) => worker.stop('SIGKILL')))
  })

  it('the newer has the work as soon as its worker is ready, and keeps it when the older starts again', async () => {
    const [older, newer] = [await freshRelease(), await freshRelease()]
    const first = await startRelease(older)
    expect(await workersOf()).to.deep.equal([older.id])
    await startRelease(newer)
    expect(await workersOf()).to.deep.equal([newer.id])
    await first.stop('SIGKILL')
    await startRelease(older)
    expect(await workersOf()).to.deep.equal([newer.id])
  })

  it('that are new and start at the same moment the one that Temporal met last has the work', async () => {
    const two = [await freshRelease(), await freshRelease()]
    await Promise.all(two.map((release) => startRelease(release)))
    const ids = two.map(({ id }) => id)
    const { known } = await readReleases(await useClient())
    const [last] = known.filter(({ id }) => ids.includes(id)).toSorted((a, b) => (a.since < b.since ? 1 : -1))
    await eventually('the last one is current', async () => (await current()) === last?.id, waitMs)
    expect(await workersOf()).to.deep.equal([last?.id])
  })

  it('the older takes over when no worker of the newer is left', async () => {
    const [older, newer] = [await freshRelease(), await freshRelease()]
    await startRelease(older, { releaseSilentMs: 2_000 })
    const second = await startTestWorker(looks, 'temporal/main.ts', {
      SVC_WORKFLOW_BUNDLE: newer.path,
      SVC_RELEASES: 'newest',
    })
    await second.stop('SIGKILL')
    expect(await workersOf()).to.deep.equal([older.id])
  })

  it('the older has the work when an operator says so, also after the newer started again, until the operator says otherwise', async () => {
    const [older, newer] = [await freshRelease(), await freshRelease()]
    await startRelease(older)
    const second = await startRelease(newer)
    expect(await command('--current', older.id)).to.include(`* ${older.id}`)
    expect(await workersOf()).to.deep.equal([older.id])
    await second.stop()
    await startRelease(newer)
    expect(await workersOf()).to.deep.equal([older.id])
    expect(await command('--current', newer.id)).to.include(`  ${older.id}`)
    const workers = await workersOf()
    const said = `the older is ${older.id}, the current one by now ${await current()}`
    expect(workers, said).to.deep.equal([newer.id])
  })

  it('that is unknown nothing is made current', async () => {
    const said = await command('--current', '0.0.0-none').catch((error: unknown) => String(error))
    expect(said).to.include('no worker of release 0.0.0-none was ever here')
  })

  it('none has a version where Temporal forbids it, and the work is done all the same', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-unversioned-'))
    const temporal = await startTemporal({ dataDir, settings: { 'system.enableDeploymentVersions': false } })
    try {
      const said: string[] = []
      running.push(
        await startTestWorker(
          {},
          'temporal/main.ts',
          { SVC_RELEASES: 'newest', SVC_TEMPORAL_ADDRESS: temporal.address },
          (line) => said.push(line),
        ),
      )
      expect(said.join('\n')).to.include('Temporal offers no versioning of workers')
      const app = await createApp(records, project)
      const accepted = await deploy(records, app)
      await untilState(records, app, 'ready', attemptIn(accepted))
    } finally {
      await Promise.all(running.splice(0).map((worker) => worker.stop('SIGKILL')))
      await temporal.stop()
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})
