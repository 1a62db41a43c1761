/** What the platform itself says: warnings on the overview, and the capacity that pending changes need. */
import { expect } from 'chai'
import { violations } from './axe.ts'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

describe('the dashboard of the platform', function () {
  this.timeout(300_000)
  let dashboard: TestDashboard
  let project: string
  let view: View
  const [big, small] = [uniqueName('big'), uniqueName('small')]

  before(async () => {
    dashboard = await startTestDashboard()
    project = await dashboard.project('Platform')
    for (const [name, cpu] of [
      [big, '9000'],
      [small, '100m'],
    ]) {
      const json = { project, environment: 'production', name, image: 'svc/hello:1', cpu }
      const { status, text } = await ask('POST', '/api/v1/apps', json)
      expect(status, text).to.equal(200)
    }
    view = await dashboard.open('/')
  })
  after(() => dashboard?.stop())
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  const ask = async (method: string, path: string, json: unknown) =>
    dashboard.ask(method, path, { cookie: await dashboard.signIn('admin'), json })

  it('warns on the overview of what the cluster lacks, with the way to the page of it', async () => {
    const { page } = view
    const warnings = page.getByRole('region', { name: 'Warnings of the platform' })
    await warnings.getByText('Not highly available').waitFor()
    await page.getByRole('table').getByRole('link', { name: 'Platform' }).waitFor()
    expect(await violations(page)).to.deep.equal([])
    await warnings.getByRole('link', { name: 'Look: High availability' }).click()
    await page.getByRole('heading', { name: 'Cluster', level: 1 }).waitFor()
  })

  it('says what a deploy of pending changes needs, and which one would be refused', async () => {
    const { page } = view
    await page.goto(`${dashboard.baseUrl}/projects/${project}/changes`)
    const capacity = page.getByRole('region', { name: 'Capacity' })
    await capacity.getByText(/^9000\.1 cores and /).waitFor()
    await page.getByRole('region', { name: big }).getByText('the cluster has no capacity: no node has').waitFor()
    const fits = page.getByRole('region', { name: small })
    await fits.getByText(/^1 copy: 0\.10 cores and \d+ MiB more$/).waitFor()
    expect(await violations(page)).to.deep.equal([])
    await fits.getByRole('button', { name: 'Deploy' }).click()
    await fits.waitFor({ state: 'hidden' })
    await capacity.getByText(/^9000\.0 cores and /).waitFor()
  })

  it('discards what is pending in all services that were deployed, once it was said in which', async () => {
    const { page } = view
    expect((await ask('PATCH', `/api/v1/apps/${small}`, { image: 'svc/hello:2' })).status).to.equal(200)
    const [changed, created] = [page.getByRole('region', { name: small }), page.getByRole('region', { name: big })]
    await changed.getByRole('row', { name: 'source.image.image svc/hello:1 svc/hello:2' }).waitFor()
    await page.getByRole('button', { name: 'Discard all' }).click()
    const dialog = page.getByRole('dialog', { name: 'Discard all changes?' })
    expect(await dialog.getByRole('listitem').allTextContents()).to.deep.equal([small])
    await dialog.getByRole('button', { name: 'Discard them' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await changed.waitFor({ state: 'hidden' })
    await created.waitFor()
    await page.getByRole('button', { name: 'Discard all' }).and(page.locator('[aria-disabled=true]')).waitFor()
  })

  it('shows viewers the warnings that they can look into, and no capacity of changes', async () => {
    const viewer = await dashboard.open('/', 'viewer')
    await viewer.page.getByRole('link', { name: 'Look: High availability' }).waitFor()
    await viewer.page.goto(`${dashboard.baseUrl}/projects/${project}/changes`)
    await viewer.page.getByText('Not for your role').waitFor()
    expect(await viewer.page.getByRole('region', { name: 'Capacity' }).count()).to.equal(0)
    expect(viewer.complaints).to.deep.equal([])
  })
})
