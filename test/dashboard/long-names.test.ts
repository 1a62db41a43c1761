/** Names as long as they may be: no page scrolls sideways, not even on a telephone, and tables fit a wide screen. */
import { expect } from 'chai'
import { displayNameMax, variableNameMax } from '../../contract/limits.ts'
import { startTestDashboard, type TestDashboard, uniqueName } from './dashboard.ts'
import { type Filled, filledEnv, fillProject, loaded, telephone, widthOf } from './pages.ts'

const screen = { width: 1280, height: 860 }
/** Seven columns, with two buttons in the last: these scroll within themselves. */
const scrolling = ['Deliveries']

/** Names of databases become parts of longer ones, and have to be shorter. */
function longName(prefix: string): string {
  const most = ['orders', 'ledger', 'uploads'].includes(prefix) ? 30 : 50
  return uniqueName(prefix).padEnd(most, 'x')
}

describe('each page of long names', function () {
  this.timeout(420_000)
  let dashboard: TestDashboard
  let filled: Filled

  before(async () => {
    dashboard = await startTestDashboard({ env: filledEnv })
    filled = await fillProject(dashboard, longName)
    const cookie = await dashboard.signIn('admin')
    const ask = async (method: string, path: string, json: object): Promise<void> => {
      const { status, text } = await dashboard.ask(method, `/api/v1${path}`, { cookie, json })
      expect(status, text).to.equal(200)
    }
    const [service, project] = [`/apps/${filled.web}`, `/projects/${filled.project}`]
    await ask('PATCH', project, { displayName: uniqueName('Shop').padEnd(displayNameMax, 'x') })
    await ask('POST', `${service}/config/set`, { key: 'K'.repeat(variableNameMax), value: 'v'.repeat(500) })
    await ask('POST', `${project}/variables/save`, { name: 'S'.repeat(variableNameMax), value: 'v'.repeat(500) })
    await ask('POST', `${service}/deploy`, {})
  })
  after(() => dashboard?.stop())

  it('fits a telephone and a wide screen', async () => {
    const { page } = await dashboard.open('/')
    for (const { name, path } of filled.paths) {
      await page.setViewportSize({ ...screen, width: telephone })
      await page.goto(`${dashboard.baseUrl}${path}`)
      await loaded(page)
      expect(await widthOf(page), `${name} scrolls sideways`).to.be.at.most(telephone)
      await page.setViewportSize(screen)
      for (const table of await page.locator('[role=region]:has(> table)').all()) {
        const label = (await table.getAttribute('aria-label')) ?? ''
        const hidden = await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
        if (!scrolling.includes(label)) expect(hidden, `pixels of ${label} out of sight, ${name}`).to.equal(0)
      }
    }
  })
})
