/** A service from a git repository, from its form to the stages of its build, and a build that is cancelled. */
import { expect } from 'chai'
import type { Build } from '../../kinds/builds/kind.ts'
import { isFinished } from '../../kinds/builds/phase.ts'
import { writeLog } from '../api/played-pods.ts'
import { eventually } from '../cluster/eventually.ts'
import { useRecords } from '../harness/records.ts'
import { startTestWorker, type TestWorker } from '../harness/worker.ts'
import { builderEnv, playSuccess, untilPhase } from '../workflows/build-world.ts'
import { violations } from './axe.ts'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

describe('a service from git in the dashboard', function () {
  this.timeout(300_000)
  let dashboard: TestDashboard
  let worker: TestWorker | undefined
  let project: string
  let view: View
  const [web, ssh] = [uniqueName('web'), uniqueName('ssh')]

  before(async () => {
    dashboard = await startTestDashboard({}, async () => {
      worker = await startTestWorker({}, 'temporal/main.ts', builderEnv)
    })
    project = await dashboard.project('From git')
    view = await dashboard.open(`/projects/${project}/create`)
  })
  after(async () => {
    await dashboard?.stop()
    await worker?.stop()
  })
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  /** The open build of the service, once there is one. */
  async function openBuild(): Promise<Build> {
    const { builds } = await useRecords()
    const open = () => builds.cache.by('app', web).find((build) => !isFinished(build))
    await eventually('a build is open', () => open() !== undefined, 30_000)
    return open() as Build // by the line before
  }
  const choose = () => view.page.getByRole('radiogroup', { name: 'What to create' }).getByText('Service from git')
  const field = (label: string) => view.page.getByLabel(label, { exact: true })

  it('is judged as it is typed, in the words of the api', async () => {
    await choose().click()
    await field('Repository').fill('no repository')
    await view.page.getByText('repository must be owner/name or a repository address').waitFor()
    await field('Dockerfile').fill('../Dockerfile')
    await view.page.getByText('dockerfile must be a path inside the repository').waitFor()
    await field('Dockerfile').fill('')
    await field('Folder that is built').fill('/web')
    await view.page.getByText('context must be a path inside the repository').waitFor()
    await field('Folder that is built').fill('')
    await field('Branch').fill('main')
    await field('Repository').fill('https://git.example.test/team/web.git')
    await view.page.getByText('repository must be').waitFor({ state: 'hidden' })
    expect(await violations(view.page)).to.deep.equal([])
  })

  it('is created and built, and its stages are shown while they go on and afterwards', async () => {
    const { page } = view
    await field('Name').fill(web)
    await page.getByRole('button', { name: 'Create the service' }).click()
    await page.getByRole('heading', { name: web, level: 1 }).waitFor()
    const cancel = page.getByRole('button', { name: 'Cancel build' })
    await cancel.waitFor()
    expect(await page.getByRole('button', { name: 'Build', exact: true }).count()).to.equal(0)
    await writeLog('#1 [1/1] FROM docker.io/library/node:22')
    await writeLog('#1 DONE 1.5s')
    await playSuccess(await useRecords(), await openBuild())
    await page.getByText('Running: 1 of 1 copy ready.').waitFor()
    await cancel.waitFor({ state: 'hidden' })
    await page.reload() // what was open while it went on stays open
    const stages = page.getByRole('list', { name: 'Stages of the build' })
    const build = stages.getByRole('listitem').filter({ hasText: 'Build' })
    await build.getByText('Build', { exact: true }).click()
    await build.getByText('[1/1] FROM docker.io/library/node:22').waitFor()
    await build.getByText('Done').first().waitFor()
    expect(await violations(page)).to.deep.equal([])
  })

  it('is built again, and the build is cancelled', async () => {
    const { page } = view
    await page.getByRole('button', { name: 'Build', exact: true }).click()
    const cancel = page.getByRole('button', { name: 'Cancel build' })
    const dialog = page.getByRole('dialog', { name: `Cancel the build of ${web}?` })
    await cancel.click()
    await dialog.waitFor()
    expect(await violations(page)).to.deep.equal([])
    await dialog.getByRole('button', { name: 'Let it build' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect((await openBuild()).metadata.name, 'it goes on').to.be.a('string')
    await cancel.click()
    await dialog.getByRole('button', { name: 'Cancel it' }).click()
    await page.getByRole('list', { name: 'Steps of the deploy' }).getByText('the build was cancelled').waitFor()
    await page.getByRole('button', { name: 'Build', exact: true }).waitFor()
  })

  it('goes on after its worker was killed, and the page shows it live from before to the end', async () => {
    const { page } = view
    await page.goto(`${dashboard.baseUrl}/services/${web}`)
    await page.getByRole('button', { name: 'Build', exact: true }).click()
    const cancel = page.getByRole('button', { name: 'Cancel build' })
    await cancel.waitFor()
    const records = await useRecords()
    const build = await untilPhase(records, (await openBuild()).metadata.name, 'Running')
    await worker?.stop('SIGKILL')
    await playSuccess(records, build)
    // Nothing works on it, and the page says what it waits for instead of an end.
    await page.getByText(/^Being brought to what was asked: build /).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    expect(await cancel.isVisible()).to.equal(true)
    worker = await startTestWorker({}, 'temporal/main.ts', builderEnv)
    await page.getByText('Running: 1 of 1 copy ready.').waitFor({ timeout: 60_000 })
    await cancel.waitFor({ state: 'hidden' })
    await page.getByRole('list', { name: 'Steps of the deploy' }).getByText('Succeeded: 1 of 1 copies ready').waitFor()
  })

  it('has settings of its build, which wait for a deploy', async () => {
    const { page } = view
    await page.goto(`${dashboard.baseUrl}/services/${web}/settings`)
    const panel = page.getByRole('region', { name: 'Build' })
    await panel.getByLabel('Keep the layers of a build').uncheck()
    await panel.getByRole('button', { name: 'Save' }).click()
    await panel.getByRole('status').getByText('Saved').waitFor()
    await page.getByRole('button', { name: 'Show changes' }).click()
    await page.getByRole('row', { name: /^build.cache/ }).waitFor()
  })

  it('deploys the pushes that it watches, also those of a git server that is not connected', async () => {
    const { page } = view
    const panel = page.getByRole('region', { name: 'Pushes' })
    await panel.getByLabel('Paths whose change deploys').fill('web/**\nlib/**')
    await panel.getByRole('button', { name: 'Apply' }).click()
    await panel.getByRole('status').getByText('Applied').waitFor()
    await panel.getByText(`/webhooks/git/${web}`).waitFor()
    await panel.getByRole('button', { name: 'Make a secret' }).click()
    const copy = panel.getByRole('button', { name: 'Copy the secret of the git webhook' })
    await copy.waitFor()
    await panel.getByRole('button', { name: 'Hide' }).click()
    await copy.waitFor({ state: 'hidden' })
    await panel.getByRole('button', { name: 'Reveal the secret' }).click()
    await copy.waitFor()
    expect(await violations(page)).to.deep.equal([])
  })

  it('that is read over ssh is a draft first, with a deploy key to make on its page', async () => {
    const { page } = view
    await page.goto(`${dashboard.baseUrl}/projects/${project}/create`)
    await choose().click()
    await field('Repository').fill('git@git.example.test:team/web.git')
    await page.getByLabel('Deploy at once').waitFor({ state: 'hidden' })
    await field('Name').fill(ssh)
    await page.getByRole('button', { name: 'Create the service' }).click()
    await page.getByText('Saved as a draft.').waitFor()
    const panel = page.getByRole('region', { name: 'Deploy key' })
    await panel.getByRole('button', { name: 'Make a deploy key' }).click()
    await panel.getByText(/^ssh-ed25519 /).waitFor()
  })

  it('offers a viewer neither build nor key', async () => {
    const viewer = await dashboard.open(`/services/${web}`, 'viewer')
    const build = viewer.page.getByRole('button', { name: 'Build', exact: true })
    await build.waitFor()
    expect(await build.getAttribute('aria-disabled')).to.equal('true')
    await viewer.page.goto(`${dashboard.baseUrl}/services/${ssh}`)
    await viewer.page.getByRole('heading', { name: ssh, level: 1 }).waitFor()
    expect(await viewer.page.getByRole('region', { name: 'Deploy key' }).count()).to.equal(0)
    expect(viewer.complaints).to.deep.equal([])
  })
})
