/** Every page is free of what axe finds against WCAG 2.2 AA, in both themes, and fits a telephone. */
import { expect } from 'chai'
import { violations } from './axe.ts'
import { startTestDashboard, type TestDashboard } from './dashboard.ts'
import { fillProject, loaded, type NamedPath } from './pages.ts'

describe('every page of the dashboard', function () {
  this.timeout(300_000)
  let dashboard: TestDashboard
  let paths: readonly NamedPath[]

  before(async () => {
    dashboard = await startTestDashboard()
    paths = await fillProject(dashboard)
  })
  after(() => dashboard?.stop())

  it('has nothing that axe finds, in either theme, and complains of nothing', async () => {
    const { page, complaints } = await dashboard.open('/')
    for (const { name, path } of paths) {
      await page.goto(`${dashboard.baseUrl}${path}`)
      await loaded(page)
      expect(await violations(page), name).to.deep.equal([])
    }
    expect(complaints).to.deep.equal([])
  })

  it('fits 360 pixels without scrolling sideways', async () => {
    const { page } = await dashboard.open('/', 'admin', { width: 360 })
    for (const { name, path } of paths) {
      await page.goto(`${dashboard.baseUrl}${path}`)
      await loaded(page)
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      expect(width, name).to.be.at.most(360)
    }
  })
})
