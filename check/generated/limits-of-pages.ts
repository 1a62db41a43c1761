/**
 * The section Limits at the end of each page of the reference: which constants of docs/reference/limits.md are about
 * the subject of the page, with a link to the section that has their values.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { limitsOfPages } from './limit-subjects.ts'

const folder = join(import.meta.dirname, '../../docs/reference')

/** Each page with its section of limits: the last one of it. */
export function makeLimitsOfPages(): ReadonlyMap<string, string> {
  const sections = sectionsOf(read('limits'))
  return new Map(
    Object.entries(limitsOfPages).map(([page, names]) => {
      const [text = ''] = read(page).split('\n## Limits\n')
      return [`docs/reference/${page}.md`, `${text.trimEnd()}\n\n## Limits\n${sectionOf(names, sections)}\n`]
    }),
  )
}

const read = (page: string): string => readFileSync(join(folder, `${page}.md`), 'utf8')

/** The heading that each constant stands under on the page of limits. */
function sectionsOf(page: string): ReadonlyMap<string, string> {
  let heading = ''
  const found = new Map<string, string>()
  for (const line of page.split('\n')) {
    if (line.startsWith('## ')) heading = line.slice(3)
    for (const [, name = ''] of (line.split('|').at(-2) ?? '').matchAll(/`(\w+)`/g)) found.set(name, heading)
  }
  return found
}

function sectionOf(names: readonly string[], sections: ReadonlyMap<string, string>): string {
  const byHeading = Map.groupBy(names, (name) => sections.get(name) ?? '')
  const parts = [...byHeading].map(
    ([heading, own]) => `[${heading}](limits.md#${anchorOf(heading)}): ${own.map((name) => `\`${name}\``).join(', ')}`,
  )
  return filled(`${parts.join('; ')}.`)
}

/** The anchor of a heading of plain words. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-')

const width = 120

/** The text in lines; links and names are not broken. */
function filled(text: string): string {
  const words = text.match(/\[[^\]]*\]\S*|\S+/g) ?? []
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}
