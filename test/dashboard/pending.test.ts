/** The page of pending changes, reached without an environment in its address. */
import { expect } from 'chai'
import { startTestDashboard, uniqueName, type TestDashboard } from './dashboard.ts'

describe('the page of pending changes', function () {
  this.timeout(120_000)
  let dashboard: TestDashboard
  let project: string
  const web = uniqueName('web')

  before(async () => {
    // Without a worker: what is deployed stays as it is.
    dashboard = await startTestDashboard({}, async () => undefined)
    project = await dashboard.project('Waiting')
    await ask(`/projects/${project}/environments`, { environment: 'staging' })
    await ask('/apps', { project, environment: 'production', name: web, image: 'svc/hello:1' })
  })
  after(() => dashboard?.stop())

  async function ask(path: string, json: unknown): Promise<void> {
    const cookie = await dashboard.signIn('admin')
    const { status, text } = await dashboard.ask('POST', `/api/v1${path}`, { cookie, json })
    expect(status, text).to.equal(200)
  }

  it('names the first environment of several, and deploys what waits in it', async () => {
    const { page, complaints } = await dashboard.open(`/projects/${project}/changes`)
    await page.getByText('Saved in production, and not deployed').waitFor()
    await page.getByRole('region', { name: web }).waitFor()
    await page.getByRole('button', { name: 'Deploy all' }).click()
    await page.getByText('Deploying 1 resource.').waitFor()
    await page.getByText('Nothing is pending').first().waitFor()
    expect(complaints).to.deep.equal([])
  })

  it('says that there is no such project, with a way on', async () => {
    const { page, expectComplaint } = await dashboard.open('/projects/proj-00000000/changes')
    await page.getByRole('heading', { name: 'No such project', level: 1 }).waitFor()
    await expectComplaint('404')
  })
})
