/**
 * `npm run pictures`: a picture of every page and dialog in both themes, at 1280 and at 360 pixels, into
 * `dist/pictures`.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { stopStack } from '../harness/stack.ts'
import { startTestDashboard } from './dashboard.ts'
import { dialogsOf, sidesOf } from './dialogs.ts'
import { filledEnv, fillProject, loaded } from './pages.ts'

const folder = join(import.meta.dirname, '../../dist/pictures')
const sizes = [1280, 360]
const quietMs = 300
const withinMs = 10_000

async function main(): Promise<void> {
  const dashboard = await startTestDashboard({ env: filledEnv })
  try {
    const filled = await fillProject(dashboard, (name) => name)
    let count = 0
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of sizes) {
        const into = join(folder, `${colorScheme}-${width}`)
        await mkdir(into, { recursive: true })
        const options = { colorScheme, width }
        const take = async (page: Page, name: string) => {
          await page.waitForTimeout(quietMs)
          await page.screenshot({ path: join(into, `${name}.png`), caret: 'hide' })
          count += 1
        }
        const { page, context } = await dashboard.open('/', 'admin', options)
        for (const { name, path } of filled.paths) {
          await page.goto(`${dashboard.baseUrl}${path}`)
          await loaded(page)
          await take(page, name)
        }
        await context.close()
        for (const { name, path, width: own, prepare, open } of [...sidesOf(filled), ...dialogsOf(filled)]) {
          const view = await dashboard.open('/', 'admin', { ...options, ...(own === undefined ? {} : { width: own }) })
          view.page.setDefaultTimeout(withinMs)
          try {
            await prepare?.(view.page)
            await view.page.goto(`${dashboard.baseUrl}${path}`)
            await loaded(view.page)
            const opener = await open(view.page)
            if (opener !== undefined) await view.page.getByRole('dialog').or(view.page.getByRole('menu')).waitFor()
            await loaded(view.page)
            await take(view.page, opener === undefined ? name : `dialog-${name}`)
          } catch (error) {
            console.error(`no picture of ${name} in ${colorScheme}, ${width}: ${String(error)}`)
            process.exitCode = 1
          }
          await view.context.close()
        }
        const stranger = await dashboard.open('/', 'nobody', options)
        await stranger.page.locator('form').waitFor()
        await take(stranger.page, 'sign-in')
        await stranger.context.close()
      }
    console.log(`${count} pictures are in ${folder}`)
  } finally {
    await dashboard.stop()
    await stopStack()
  }
}

await main()
process.exit()
