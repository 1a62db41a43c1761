/**
 * A worker that dies right before or right after a write for a build: the next one completes it, its image runs, and
 * nothing of its Job is left; also of one that is cancelled.
 */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { buildsNamespace } from '../../kinds/builds/names.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { cancelBuild } from '../../records/builds/cancel-build.ts'
import { eventually } from '../cluster/eventually.ts'
import { createProject, deploy, type TestRecords, untilState, useRecords, wakeWith } from '../harness/records.ts'
import { testPolicy, withoutWorker } from '../harness/worker.ts'
import { killPolicy, startMortalWorker } from '../kill/enumerated.ts'
import type { MortalProcess } from '../kill/mortal-process.ts'
import { atWrites, diesWith, type WritePoint } from '../kill/write-points.ts'
import { builderEnv, createGitApp, digest, playSuccess, untilCleaned, untilPhase } from './build-world.ts'
import { attemptIn, untilSetUp } from './service-world.ts'

const building: readonly WritePoint[] = [
  { when: 'after', write: 7 },
  { when: 'before', write: 12 },
]
const cancelling: readonly WritePoint[] = [{ when: 'before', write: 2 }]

describe('a worker that dies while it', function () {
  this.timeout(120_000)
  let records: TestRecords
  let project: Project
  let worker: MortalProcess

  before(async () => {
    records = await useRecords()
    await withoutWorker()
    wakeWith(killPolicy)
    worker = await startMortalWorker({}, undefined, builderEnv)
    project = await createProject(records)
    await untilSetUp(records, project)
  })
  after(async () => {
    wakeWith(testPolicy)
    await worker.kill()
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
  })

  /** Whether the worker died at the write; another worker runs by then. */
  async function survive(completion: Promise<unknown>): Promise<boolean> {
    const died = await diesWith(worker, completion)
    if (died) worker = await startMortalWorker({}, undefined, builderEnv)
    return died
  }
  const arm = (app: App, point: WritePoint): void => worker.arm({ ...point, about: app.metadata.name })
  const leftOf = async ({ metadata }: Build): Promise<string[]> => {
    const labelSelector = `${labels.owner}=${metadata.uid ?? ''}`
    const found = await Promise.all(
      [coreTypes.job, coreTypes.secret, coreTypes.pod].map((type) =>
        records.client.list<KubeObject>(type, { namespace: buildsNamespace, labelSelector, metadataOnly: true }),
      ),
    )
    return found.flatMap(({ items }) => items.map(({ metadata: { name } }) => name))
  }
  const buildsOf = (app: App) => records.builds.cache.list().filter(({ spec }) => spec.app === app.metadata.name)

  atWrites(
    building,
    (where) => `builds, ${where}, leaves the one image of one build running, and nothing of its Job`,
    async (point) => {
      const app = await createGitApp(records, project)
      arm(app, point)
      const attempt = attemptIn(await deploy(records, app))
      const completion = (async () => {
        await playSuccess(records, await untilPhase(records, attempt, 'Running'))
        const ready = await untilState(records, app, 'ready', attempt)
        return { ready, build: await untilCleaned(records, attempt) }
      })()
      const died = await survive(completion)
      const { ready, build } = await completion
      expect(ready.status?.image).to.match(new RegExp(`@${digest}$`))
      expect(buildsOf(app).map(({ metadata }) => metadata.name)).to.deep.equal([attempt])
      await eventually('nothing is left', async () => (await leftOf(build)).length === 0, 20_000)
      return died
    },
  )

  atWrites(
    cancelling,
    (where) => `cancels a build, ${where}, ends its deploy, and leaves nothing of its Job`,
    async (point) => {
      const app = await createGitApp(records, project)
      const attempt = attemptIn(await deploy(records, app))
      await untilPhase(records, attempt, 'Running')
      arm(app, point)
      await cancelBuild(records.builds, attempt)
      const completion = (async () => {
        const failed = await untilState(records, app, 'failed', attempt)
        return { failed, build: await untilCleaned(records, attempt) }
      })()
      const died = await survive(completion)
      const { failed, build } = await completion
      expect(failed.status?.lastAttempt?.summary).to.equal('the build was cancelled')
      expect(build.status?.phase).to.equal('Cancelled')
      await eventually('nothing is left', async () => (await leftOf(build)).length === 0, 20_000)
      return died
    },
  )
})
