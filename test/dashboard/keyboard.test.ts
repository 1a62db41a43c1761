/** Creating a service and deploying it without a pointer. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

/** More than there are on any page that is visited here. */
const mostTabs = 80

/** What has the focus, by its label or text; and that it can be seen to have it. */
const focused = (page: Page) =>
  page.evaluate<{ name: string; isMarked: boolean }>(`(() => {
    const at = document.activeElement
    const label = at?.labels?.[0]?.textContent ?? at?.getAttribute('aria-label') ?? at?.textContent ?? ''
    const style = getComputedStyle(at?.closest('label') ?? at ?? document.body)
    return { name: label.trim(), isMarked: style.outlineStyle !== 'none' }
  })()`)

/** Presses Tab until this has the focus. */
async function tabTo(page: Page, wanted: string): Promise<void> {
  for (let tabs = 0; tabs < mostTabs; tabs += 1) {
    await page.keyboard.press('Tab')
    const { name, isMarked } = await focused(page)
    if (name !== wanted) continue
    expect(isMarked, `the focus on ${wanted} is seen`).to.equal(true)
    return
  }
  throw new Error(`Tab does not lead to ${wanted}`)
}

describe('the dashboard by keyboard alone', function () {
  this.timeout(180_000)
  let dashboard: TestDashboard
  let view: View
  const service = uniqueName('typed')

  before(async () => {
    dashboard = await startTestDashboard()
    view = await dashboard.open(`/projects/${await dashboard.project('Typed')}`)
    await view.page.getByText('Nothing is in production yet').waitFor()
  })
  after(() => dashboard?.stop())
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  it('creates a service as a draft', async () => {
    const { page } = view
    await tabTo(page, 'Create the first resource')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Create', level: 1 }).waitFor()
    await tabTo(page, 'Image')
    await page.keyboard.type('svc/hello:1')
    await tabTo(page, 'Name')
    await page.keyboard.type(service)
    await tabTo(page, 'Deploy at once')
    await page.keyboard.press('Space')
    await tabTo(page, 'Create the service')
    await page.keyboard.press('Enter')
    await page.getByText('Saved as a draft.').waitFor()
  })

  it('deploys it, watches it come up, and reads its steps', async () => {
    const { page } = view
    await tabTo(page, 'Deploy')
    await page.keyboard.press('Enter')
    await page.getByText('Running: 1 of 1 copy ready.').waitFor()
    await tabTo(page, 'Settings')
    await tabTo(page, 'Deployments')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Steps')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Succeeded: 1 of 1 copies ready').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect((await focused(page)).name, 'the focus is back where it came from').to.equal('Steps')
  })

  it('lists the shortcuts with ?, and goes by them from page to page', async () => {
    const { page } = view
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('g o').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    for (const [key, name] of [
      ['c', 'Cluster'],
      ['r', 'Runs'],
      ['s', 'Settings'],
      ['o', 'Overview'],
    ] as const) {
      await page.keyboard.press('g')
      await page.keyboard.press(key)
      await page.getByRole('heading', { name, level: 1 }).waitFor()
    }
  })
})
