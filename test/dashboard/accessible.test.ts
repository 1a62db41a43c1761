/** Every page and dialog is free of what axe finds against WCAG 2.2 AA, in both themes, and fits a telephone. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { violations } from './axe.ts'
import { startTestDashboard, type TestDashboard } from './dashboard.ts'
import { dialogsOf, openedElsewhere, sidesOf, type Opened } from './dialogs.ts'
import { filledEnv, fillProject, loaded, telephone, widthOf, type Filled } from './pages.ts'

const screen = { width: 1280, height: 860 }
const folder = join(import.meta.dirname, '../../dashboard')
/** Where the pieces that dialogs are made of are defined. */
const pieces = ['ui/dialog.tsx', 'ui/confirm.tsx', 'ui/remove.tsx', 'ui/discard.tsx', 'projects/discard-all.tsx']
/** What shows a dialog, in a source. */
const opens = /<(Dialog|DeleteButton|ConfirmButton|RemoveButton|Discard|DiscardAll|Menu\.Root)\b/g

describe('every page of the dashboard', function () {
  this.timeout(420_000)
  let dashboard: TestDashboard
  let filled: Filled

  before(async () => {
    dashboard = await startTestDashboard({ env: filledEnv })
    filled = await fillProject(dashboard)
  })
  after(() => dashboard?.stop())

  const visit = async (page: Page, path: string) => {
    await page.goto(`${dashboard.baseUrl}${path}`)
    await loaded(page)
  }

  it('fits 360 pixels, has nothing that axe finds on a wide screen, in either theme, and complains of nothing', async () => {
    const { page, complaints } = await dashboard.open('/')
    for (const { name, path } of filled.paths) {
      await page.setViewportSize({ width: telephone, height: screen.height })
      await visit(page, path)
      expect(await widthOf(page), `${name} scrolls sideways`).to.be.at.most(telephone)
      await page.setViewportSize(screen)
      expect(await violations(page), name).to.deep.equal([])
    }
    expect(complaints).to.deep.equal([])
  })

  it('has nothing that axe finds in what a click opens, and fits 360 pixels then', async () => {
    const { page, complaints } = await dashboard.open('/')
    for (const { name, path, open } of sidesOf(filled)) {
      await visit(page, path)
      await open(page)
      await loaded(page)
      expect(await violations(page), name).to.deep.equal([])
      await page.setViewportSize({ width: telephone, height: screen.height })
      expect(await widthOf(page), name).to.be.at.most(telephone)
      await page.setViewportSize(screen)
    }
    expect(complaints).to.deep.equal([])
  })

  it('has nothing that axe finds in its dialogs, which fit 360 pixels, close by Escape and give back the focus', async () => {
    const { page, complaints } = await dashboard.open('/')
    for (const dialog of dialogsOf(filled)) {
      await tryOut(page, dialog)
      expect(complaints, dialog.name).to.deep.equal([])
    }
  })

  async function tryOut(page: Page, { name, path, width = screen.width, prepare, open }: Opened): Promise<void> {
    const size = { width, height: screen.height }
    await page.setViewportSize(size)
    await prepare?.(page)
    await visit(page, path)
    const opener = await open(page).catch((error: unknown) => expect.fail(`${name} cannot be opened: ${String(error)}`))
    const dialog = page.getByRole('dialog').or(page.getByRole('menu'))
    await dialog.waitFor().catch(() => expect.fail(`${name} does not open`))
    await page.locator('.shimmer').first().waitFor({ state: 'hidden' })
    expect(await violations(page), name).to.deep.equal([])
    await page.setViewportSize({ width: telephone, height: screen.height })
    const box = await dialog.boundingBox()
    expect(box?.x, name).to.be.at.least(0)
    expect((box?.x ?? 0) + (box?.width ?? 0), name).to.be.at.most(telephone)
    await page.setViewportSize(size)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    const isBack = await opener?.evaluate((element) => element === element.ownerDocument.activeElement)
    expect(isBack, `the focus after ${name}`).to.equal(true)
    await page.unrouteAll()
  }

  it('has no dialog that axe is not asked about', () => {
    const sources = dialogsOf(filled).map(({ of }) => of)
    const notAsked = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.tsx') && !pieces.includes(file) && !(file in openedElsewhere))
      .filter((file) => {
        const dialogs = readFileSync(join(folder, file), 'utf8').match(opens) ?? []
        return dialogs.length > sources.filter((of) => of === file).length
      })
    expect(notAsked).to.deep.equal([])
    for (const [source, test] of Object.entries(openedElsewhere))
      expect(readFileSync(join(import.meta.dirname, test), 'utf8'), source).to.contain('await violations(page)')
  })
})
