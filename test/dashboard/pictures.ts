/** `npm run pictures`: a picture of every page in both themes, at 1280 and at 360 pixels, into `dist/pictures`. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { stopStack } from '../harness/stack.ts'
import { startTestDashboard } from './dashboard.ts'
import { fillProject, loaded } from './pages.ts'

const folder = join(import.meta.dirname, '../../dist/pictures')
const sizes = [1280, 360]
const settleMs = 300

async function main(): Promise<void> {
  const dashboard = await startTestDashboard()
  try {
    const paths = [...(await fillProject(dashboard)), { name: 'sign-in', path: '/' }]
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of sizes) {
        await mkdir(join(folder, `${colorScheme}-${width}`), { recursive: true })
        for (const { name, path } of paths) {
          const who = name === 'sign-in' ? 'nobody' : 'admin'
          const { page, context } = await dashboard.open(path, who, { colorScheme, width })
          await (name === 'sign-in' ? page.locator('form').waitFor() : loaded(page))
          await page.waitForTimeout(settleMs)
          await page.screenshot({ path: join(folder, `${colorScheme}-${width}`, `${name}.png`), caret: 'hide' })
          await context.close()
        }
      }
    console.log(`${paths.length * 2 * sizes.length} pictures are in ${folder}`)
  } finally {
    await dashboard.stop()
    await stopStack()
  }
}

await main()
process.exit(0)
