/** Every page is free of what axe finds against WCAG 2.2 AA, in both themes, and fits a telephone. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { startTestDashboard, type TestDashboard } from './dashboard.ts'
import { fillProject, loaded, type NamedPath } from './pages.ts'

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const wanted = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** `rule: the element`, for each violation. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(wanted)} }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + failureSummary)))`,
  )
}

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
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        expect(await violations(page), `${name}, ${colorScheme}`).to.deep.equal([])
      }
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
