/** The connections of services, drawn between the cards of an environment. */
import { expect } from 'chai'
import { startTestDashboard, type TestDashboard, uniqueName, type View } from './dashboard.ts'

describe('connections on the page of a project', function () {
  this.timeout(120_000)
  let dashboard: TestDashboard
  let view: View
  let ask: (path: string, json: unknown) => Promise<{ status: number }>
  const [web, mail, orders] = [uniqueName('web'), uniqueName('mail'), uniqueName('orders')]

  before(async () => {
    dashboard = await startTestDashboard()
    const project = await dashboard.project('Connected')
    const cookie = await dashboard.signIn('admin')
    ask = (path, json) => dashboard.ask('POST', `/api/v1${path}`, { cookie, json })
    const place = { project, environment: 'production' }
    for (const name of [web, mail]) await ask('/apps', { ...place, name, image: 'svc/hello:1' })
    await ask('/databases', { ...place, name: orders })
    view = await dashboard.open(`/projects/${project}`)
  })
  after(() => dashboard?.stop())
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  const card = (name: string) => view.page.locator(`[data-resource="${name}"]`)
  const lines = () => view.page.locator('.-z-10 > path')

  it('are drawn and listed as soon as they are made, also by another user', async () => {
    await card(web).waitFor()
    expect(await lines().count()).to.equal(0)
    await ask(`/apps/${web}/attach`, { kind: 'database', name: orders })
    await card(web).getByText(`Uses ${orders}`).waitFor()
    await ask(`/apps/${web}/config/set`, { key: 'MAIL_URL', value: `http://${mail}:8080` })
    await card(web).getByText(`Uses ${orders}, ${mail}`).waitFor()
    await lines().nth(1).waitFor({ state: 'attached' })
    expect(await lines().count()).to.equal(2)
  })

  it('lead from the card of the service to that of the database', async () => {
    const [from, to] = await Promise.all([card(web).boundingBox(), card(orders).boundingBox()])
    const line = await lines().first().boundingBox()
    expect(line?.y).to.be.closeTo((from?.y ?? 0) + (from?.height ?? 0), 3)
    expect((line?.y ?? 0) + (line?.height ?? 0)).to.be.closeTo(to?.y ?? 0, 3)
  })

  it('stand out for the card under the pointer, and go with what is filtered away', async () => {
    const { page } = view
    const standOut = () => page.locator('.-z-10 > path.stroke-accent')
    await card(mail).hover()
    await standOut().first().waitFor({ state: 'attached' })
    expect(await standOut().count()).to.equal(1)
    await page.getByLabel('Filter by name').fill(web)
    await lines().first().waitFor({ state: 'detached' })
    expect(await lines().count()).to.equal(0)
  })

  it('are not offered to viewers, who may not read them', async () => {
    const other = await dashboard.open(new URL(view.page.url()).pathname, 'viewer')
    await other.page.locator(`[data-resource="${web}"]`).waitFor()
    expect(await other.page.getByText('Uses ').count()).to.equal(0)
    expect(other.complaints).to.deep.equal([])
  })
})
