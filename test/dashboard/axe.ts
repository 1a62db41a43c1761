/** What axe finds on a page against WCAG 2.2 AA. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
/** Ends of a menu that pass the focus on at once: it never stays there, though axe sees that it could come. */
const passedBy = [['[data-base-ui-focus-guard]']]
const wanted = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
/** What a theme decides; the rest is the same in both, and asked about once. */
const ofColours = ['color-contrast', 'link-in-text-block']

/** `theme, rule: the element`, for each violation in either theme. */
export async function violations(page: Page): Promise<string[]> {
  const found: string[] = []
  await page.evaluate(axe)
  // What is half below the header of the page is taken for a target that is too small.
  await page.evaluate('scrollTo(0, 0)')
  for (const [colorScheme, runOnly] of [
    ['light', wanted],
    ['dark', ofColours],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const seen = await page.evaluate<string[]>(
      `axe.run({ exclude: ${JSON.stringify(passedBy)} }, { runOnly: ${JSON.stringify(runOnly)} }).then(({ violations }) =>
        violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + failureSummary)))`,
    )
    found.push(...seen.map((each) => `${colorScheme}, ${each}`))
  }
  return found
}
