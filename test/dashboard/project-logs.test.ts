/** The log of a project in the dashboard: all services of an environment together, and every state of the page. */
import { expect } from 'chai'
import { writeLog } from '../api/played-pods.ts'
import { violations } from './axe.ts'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

describe('the log of a project in the dashboard', function () {
  this.timeout(300_000)
  let dashboard: TestDashboard
  let project: string
  let view: View
  const [web, api, staged, later] = ['web', 'api', 'staged', 'later'].map((each) => uniqueName(each)) as [
    string,
    string,
    string,
    string,
  ]
  const mark = uniqueName('mark')

  before(async () => {
    dashboard = await startTestDashboard()
    project = await dashboard.project('Written')
    await ask(`/projects/${project}/environments`, { environment: 'staging' })
    await ask(`/projects/${project}/environments`, { environment: 'bare' })
    await deploy(web, 'production')
    await deploy(api, 'production')
    await deploy(staged, 'staging')
    view = await dashboard.open(`/projects/${project}`)
  })
  after(() => dashboard?.stop())
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  const ask = async (path: string, json: unknown) => {
    const { status, text } = await dashboard.ask('POST', `/api/v1${path}`, {
      cookie: await dashboard.signIn('admin'),
      json,
    })
    expect(status, text).to.equal(200)
  }
  const deploy = (name: string, environment: string) =>
    ask('/apps', { project, environment, name, image: 'svc/hello:1', deploy: true })
  const lines = () => view.page.getByRole('log')
  /** Every simulated container has the lines of one file, so each service that runs says it. */
  const saidBy = (service: string, text: string) =>
    lines()
      .locator('div', { hasText: `${mark} ${text}` })
      .filter({ hasText: service })
      .last()
  const filterBy = (text: string) => view.page.getByLabel('Search in the lines').fill(`${mark} ${text}`)

  it('follows all services of an environment, and says which of them wrote each line', async () => {
    const { page } = view
    await page.getByRole('link', { name: 'Logs' }).click()
    await page.getByRole('heading', { name: 'Logs of Written', level: 1 }).waitFor()
    await page.getByText('Following').waitFor()
    await filterBy('')
    // A copy that is not followed yet shows it once it is.
    await writeLog(`${mark} hello`)
    await saidBy(web, 'hello').waitFor()
    await saidBy(api, 'hello').waitFor()
    expect(await lines().locator('time').first().innerText()).to.match(/^[\d:]{8}\.\d{3}Z$/)
    expect(await lines().getByText(staged).count()).to.equal(0)
    expect(await violations(page)).to.deep.equal([])
  })

  it('shows the lines of a service that is made while it follows', async () => {
    await deploy(later, 'production')
    await saidBy(later, 'hello').waitFor()
  })

  it('narrows to one service, by an address that can be sent, to a level, and to words', async () => {
    const { page } = view
    await page.getByLabel('Service', { exact: true }).selectOption(web)
    await page.waitForURL((url) => url.searchParams.get('service') === web)
    await saidBy(web, 'hello').waitFor()
    expect(await lines().getByText(api).count()).to.equal(0)
    await page.reload()
    await page.getByText('Following').waitFor()
    await filterBy('')
    await saidBy(web, 'hello').waitFor()
    await writeLog(`ERROR ${mark} broken`)
    await page.getByLabel('Level').selectOption('error')
    await lines().getByText(`ERROR ${mark} broken`).waitFor()
    await saidBy(web, 'hello').waitFor({ state: 'hidden' })
    await page.getByLabel('Search in the lines').fill('no such words')
    await page.getByText('None of the lines passes the filter.').waitFor()
    await page.getByLabel('Level').selectOption('')
    await filterBy('hello')
    await page.getByRole('link', { name: 'To the service' }).click()
    await page.getByRole('heading', { name: web, level: 1 }).waitFor()
    await page.goBack()
  })

  it('stays where the reader scrolled to, counts what came since, and goes back to the end', async () => {
    const { page } = view
    await page.getByLabel('Service', { exact: true }).selectOption('')
    for (let line = 0; line < 60; line += 1) await writeLog(`${mark} filling ${line}`)
    await filterBy('filling 59')
    for (const service of [web, api, later]) await saidBy(service, 'filling 59').waitFor()
    await filterBy('filling')
    await view.page.getByText('180 lines', { exact: true }).waitFor()
    await lines().evaluate((box) => box.scrollTo(0, 200))
    await page.getByRole('button', { name: 'To the end' }).waitFor()
    const top = await lines().evaluate((box) => box.scrollTop)
    await writeLog(`${mark} filling the end`)
    await page.getByRole('button', { name: '3 new lines' }).waitFor()
    expect(await lines().evaluate((box) => box.scrollTop)).to.equal(top)
    await page.getByRole('button', { name: '3 new lines' }).click()
    await saidBy(api, 'filling the end').waitFor()
  })

  it('shows the run before, says that no history is kept, and follows another environment with the same words', async () => {
    const { page } = view
    const [answer] = await Promise.all([
      page.waitForResponse((each) => each.url().includes(`/projects/${project}/logs?`)),
      page.getByLabel('Which lines').selectOption('Before the last crash'),
    ])
    expect(new URL(answer.url()).searchParams.get('previous')).to.equal('on')
    // A simulated container answers with the same file.
    await filterBy('hello')
    await saidBy(web, 'hello').waitFor()
    await saidBy(api, 'hello').waitFor()
    await filterBy('nothing of it')
    await page.getByText('None of the lines passes the filter.').waitFor()
    await filterBy('hello')
    await page.getByLabel('Which lines').selectOption('History of a day')
    await page.getByText('no log history is kept: the platform has no log store').waitFor()
    expect(await violations(page)).to.deep.equal([])
    await page.getByRole('link', { name: 'staging' }).click()
    await page.getByLabel('Which lines').selectOption('Live')
    await saidBy(staged, 'hello').waitFor()
    expect(await lines().getByText(web).count()).to.equal(0)
  })

  it('keeps the lines of a service that is deleted, and says that its log has ended', async () => {
    const { page } = view
    await page.goto(`${dashboard.baseUrl}/projects/${project}/logs?environment=production&service=${later}`)
    await filterBy('hello')
    await saidBy(later, 'hello').waitFor()
    const cookie = await dashboard.signIn('admin')
    await dashboard.ask('DELETE', `/api/v1/apps/${later}?confirmName=${later}`, { cookie })
    await page.getByText('The log has ended').waitFor({ timeout: 60_000 })
    await saidBy(later, 'hello').waitFor()
  })

  it('says what is missing: services, the service of a link, the project, the right to read', async () => {
    const { page } = view
    await page.getByRole('link', { name: 'bare' }).click()
    await page.getByText('No services in bare yet').waitFor()
    await page.getByRole('link', { name: 'Create a service' }).waitFor()
    await page.goto(`${dashboard.baseUrl}/projects/${project}/logs?service=deleted`)
    await page.getByRole('alert').getByText('The lines could not be read: app not found.').waitFor()
    await view.expectComplaint('404')
    await page.goto(`${dashboard.baseUrl}/projects/proj-00000000/logs`)
    await page.getByRole('heading', { name: 'No such project' }).waitFor()
    await view.expectComplaint('404')
    const viewer = await dashboard.open(`/projects/${project}/logs`, 'viewer')
    await viewer.page.getByText('Not for your role').waitFor()
    await viewer.page.goto(`${dashboard.baseUrl}/projects/${project}`)
    await viewer.page.getByRole('link', { name: 'Settings' }).first().waitFor()
    expect(await viewer.page.getByRole('link', { name: 'Logs' }).count()).to.equal(0)
    expect(viewer.complaints).to.deep.equal([])
  })

  it('keeps the lines when the api goes away, and says that it does not follow them', async () => {
    const { page } = view
    await page.goto(`${dashboard.baseUrl}/projects/${project}/logs`)
    await filterBy('hello')
    await saidBy(web, 'hello').waitFor()
    await dashboard.stopApi()
    await page.getByText('Not following: ').waitFor()
    await saidBy(web, 'hello').waitFor()
    const lost = /ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED_ENCODING)/
    view.complaints.splice(0, view.complaints.length, ...view.complaints.filter((each) => !lost.test(each)))
  })
})
