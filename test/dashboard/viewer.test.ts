/** What a viewer sees of what the api leaves blank for them: that it is not shown, and never that there is none. */
import { expect } from 'chai'
import { loaded } from './pages.ts'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

describe('the dashboard of a viewer', function () {
  this.timeout(120_000)
  let dashboard: TestDashboard
  let project: string
  let view: View
  const [web, orders, uploads] = [uniqueName('web'), uniqueName('orders'), uniqueName('uploads')]

  before(async () => {
    // Without a worker: what is saved stays as it is.
    dashboard = await startTestDashboard({}, async () => undefined)
    project = await dashboard.project('Looked at')
    const place = { project, environment: 'production' }
    await ask('/apps', { ...place, name: web, image: 'svc/hello:1' })
    await ask('/databases', { ...place, name: orders, storageSize: '3Gi', backups: true })
    await ask('/object-stores', { ...place, name: uploads, bucket: 'uploads' })
    view = await dashboard.open('/', 'viewer', { width: 380 })
  })
  after(() => dashboard?.stop())
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  async function ask(path: string, json: unknown): Promise<void> {
    const answer = await dashboard.ask('POST', `/api/v1${path}`, { cookie: await dashboard.signIn('admin'), json })
    expect(answer.status, answer.text).to.equal(200)
  }
  async function show(path: string) {
    await view.page.goto(`${dashboard.baseUrl}${path}`)
    await loaded(view.page)
    return view.page.getByRole('main')
  }
  const wordsOf = async (path: string) => (await (await show(path)).innerText()).replaceAll(/\s+/g, ' ')
  const hidden = 'Only administrators see and change these settings.'

  it('says of a database and a bucket what is not shown, where blank would read as none', async () => {
    const database = await wordsOf(`/databases/${orders}`)
    expect(database).to.contain('Engine not shown to your role').and.contain('Storage not shown to your role')
    expect(database)
      .to.contain(hidden)
      .and.not.match(/taken by hand alone|nowhere to go|the default/)
    const bucket = await wordsOf(`/buckets/${uploads}`)
    expect(bucket).to.contain('Bucket not shown to your role').and.contain('Endpoint not shown to your role')
    expect(bucket)
      .to.contain(hidden)
      .and.not.match(/none yet|not made yet|nowhere to go/)
  })

  it('has no field that seems to hold an example, and no blank image', async () => {
    const main = await show(`/services/${web}/settings`)
    await main.getByText(hidden).waitFor()
    expect(await main.getByLabel('Image').count()).to.equal(0)
    expect(await main.getByPlaceholder(/./).count()).to.equal(0)
    expect(await (await show(`/projects/${project}/settings`)).getByPlaceholder(/./).count()).to.equal(0)
  })

  it('offers no button that is refused: each is off, with its reason', async () => {
    const pages = [
      '/',
      `/projects/${project}`,
      `/projects/${project}/settings`,
      ...['', '/deployments', '/logs', '/variables', '/settings', '/scaling', '/danger'].map(
        (tab) => `/services/${web}${tab}`,
      ),
      `/databases/${orders}`,
      `/buckets/${uploads}`,
      '/cluster',
      '/settings/servers',
    ]
    const harmless = /^(Copy|Show|Hide|Steps|Undo|Menu)/
    for (const path of pages) {
      const main = await show(path)
      const offered: string[] = []
      for (const button of await main.getByRole('button', { disabled: false }).all()) {
        const name = (await button.getAttribute('aria-label')) ?? (await button.innerText())
        if (!harmless.test(name)) offered.push(name)
      }
      expect([path, offered]).to.deep.equal([path, []])
      const over = await view.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      expect([path, over]).to.deep.equal([path, 0])
    }
  })
})
