/** From the page of a run to the page of what it worked on. */
import { expect } from 'chai'
import { eventually } from '../cluster/eventually.ts'
import { filledEnv } from './pages.ts'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

describe('the page of a run', function () {
  this.timeout(120_000)
  let dashboard: TestDashboard
  let project: string
  let view: View
  const [service, bucket] = [uniqueName('ran'), uniqueName('kept')]

  before(async () => {
    dashboard = await startTestDashboard({ env: filledEnv })
    project = await dashboard.project('Ran')
    const place = { project, environment: 'production' }
    await ask('POST', '/apps', { ...place, name: service, image: 'svc/hello:1', deploy: true })
    await ask('POST', '/object-stores', { ...place, name: bucket, bucket })
    view = await dashboard.open('/runs')
  })
  after(() => dashboard?.stop())
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  const ask = async (method: string, path: string, json?: object) =>
    (await dashboard.ask(method, `/api/v1${path}`, { cookie: await dashboard.signIn('admin'), json })).body

  /** Lists of runs lag a little. */
  const openRun = async (kind: string, resource: string) => {
    let run: string | undefined
    await eventually(
      `a run of ${resource} is listed`,
      async () => {
        run = (await ask('GET', `/runs?kind=${kind}&resource=${resource}`)).items[0]?.id
        return run !== undefined
      },
      30_000,
    )
    await view.page.goto(`${dashboard.baseUrl}/runs/${run}`)
  }

  it('leads to the service, the bucket and the project that it worked on', async () => {
    const { page } = view
    await openRun('app', service)
    await page.getByRole('link', { name: 'To the service' }).click()
    await page.getByRole('heading', { name: service, level: 1 }).waitFor()
    await openRun('object-store', bucket)
    await page.getByRole('link', { name: 'To the bucket' }).click()
    await page.getByRole('heading', { name: bucket, level: 1 }).waitFor()
    await openRun('project', project)
    await page.getByRole('link', { name: 'To the project' }).click()
    await page.getByRole('heading', { name: 'Ran', level: 1 }).waitFor()
  })

  it('leads to what a build, a backup and a delivery belong to', async () => {
    const { page } = view
    const [site, orders] = [uniqueName('site'), uniqueName('orders')]
    const place = { project, environment: 'production' }
    await ask('POST', `/projects/${project}/webhooks/save`, { url: 'http://127.0.0.1:9/hook' })
    const git = { source: 'git', repository: 'https://git.example.test/shop/site.git' }
    await ask('POST', '/apps', { ...place, name: site, ...git, deploy: true })
    await ask('POST', '/databases', { ...place, name: orders, deploy: true })
    const storage = { connection: bucket, bucket }
    const cookie = await dashboard.signIn('admin')
    const path = `/api/projects/${project}/backup-storage`
    expect((await dashboard.ask('POST', path, { cookie, form: storage })).body).to.deep.equal({ ok: true })
    const { archive } = await ask('POST', `/databases/${orders}/backup`, {})
    await openRun('webhook', site)
    await page.getByRole('link', { name: 'To the service' }).click()
    await page.getByRole('heading', { name: site, level: 1 }).waitFor()
    const { items } = await ask('GET', `/apps/${site}/deployments`)
    await openRun('build', items[0].id)
    await page.getByRole('link', { name: 'To the service' }).click()
    await page.getByRole('heading', { name: site, level: 1 }).waitFor()
    await openRun('backup', archive)
    await page.getByRole('link', { name: 'To the database' }).click()
    await page.getByRole('heading', { name: orders, level: 1 }).waitFor()
  })

  it('leads to the project that the resource is in', async () => {
    const { page } = view
    await openRun('app', service)
    await page.getByRole('link', { name: project }).click()
    await page.getByRole('heading', { name: 'Ran', level: 1 }).waitFor()
  })
})
