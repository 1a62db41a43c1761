/** What axe finds on a page against WCAG 2.2 AA. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const wanted = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** `theme, rule: the element`, for each violation in either theme. */
export async function violations(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.evaluate(axe)
    const seen = await page.evaluate<string[]>(
      `axe.run(document, { runOnly: ${JSON.stringify(wanted)} }).then(({ violations }) =>
        violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + failureSummary)))`,
    )
    found.push(...seen.map((each) => `${colorScheme}, ${each}`))
  }
  return found
}
