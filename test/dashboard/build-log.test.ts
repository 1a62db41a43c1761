/** The log of a build on the page of its service: line by line while it runs, and as it was kept afterwards. */
import { expect } from 'chai'
import type { App } from '../../kinds/apps/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { writeLog } from '../api/played-pods.ts'
import { createProject, deploy, type TestRecords, untilState, useRecords } from '../harness/records.ts'
import { startTestWorker, type TestWorker } from '../harness/worker.ts'
import { builderEnv, createGitApp, playSuccess, untilCleaned, untilPhase } from '../workflows/build-world.ts'
import { attemptIn, untilSetUp } from '../workflows/service-world.ts'
import { startTestDashboard, type TestDashboard } from './dashboard.ts'

describe('the log of a build in the dashboard', function () {
  this.timeout(120_000)
  const mark = `shown-${Date.now()}`
  /** Of a step that no other test wrote of: simulated containers all have the lines of one file. */
  const step = `#${Date.now()}`
  let dashboard: TestDashboard
  let records: TestRecords
  let project: Project
  let worker: TestWorker | undefined

  before(async function () {
    this.timeout(300_000)
    dashboard = await startTestDashboard({}, async () => {
      worker = await startTestWorker({}, 'temporal/main.ts', builderEnv)
    })
    records = await useRecords()
    project = await createProject(records)
    await untilSetUp(records, project)
  })
  after(async () => {
    await worker?.stop('SIGKILL')
    await dashboard?.stop()
  })

  it('grows while the build runs, and is there when it has ended', async () => {
    const app: App = await createGitApp(records, project)
    const attempt = attemptIn(await deploy(records, app))
    const build = await untilPhase(records, attempt, 'Running')
    const { page, complaints } = await dashboard.open(`/services/${app.metadata.name}`)
    await page.getByRole('list', { name: 'Steps of the deploy' }).waitFor()
    const stages = page.getByRole('list', { name: 'Stages of the build' })
    // The simulated kubelet writes the same log for each container of the pod, and that of the clone is read first. Its
    // stage is open, since the clone runs until the test ends it.
    await stages.getByText('Clone', { exact: true }).waitFor()
    const shown = (text: string) => stages.getByText(text).filter({ visible: true }).first()
    await writeLog(`${step} [1/1] RUN echo ${mark} first`)
    await shown(`RUN echo ${mark} first`).waitFor()
    await writeLog(`${step} 0.1 ${mark} second`)
    await shown(`0.1 ${mark} second`).waitFor()
    await playSuccess(records, build)
    await untilState(records, app, 'ready', attempt)
    await untilCleaned(records, attempt)
    await page.getByText('Succeeded: 1 of 1 copies ready').waitFor()
    await page.reload()
    await stages.getByText('Build', { exact: true }).click()
    await shown(`RUN echo ${mark} first`).click()
    await shown(`0.1 ${mark} second`).waitFor()
    const builds = page.getByRole('region', { name: 'Builds' })
    await builds.getByText('4.0 KiB, 2 of 3 steps from the cache').waitFor()
    await builds.getByText('manual').waitFor()
    expect(complaints).to.deep.equal([])
  })
})
