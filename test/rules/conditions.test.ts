/**
 * Compares docs/conditions.md with the code: it lists every message of a waiting or failing result, and every row names
 * a test that exists.
 */
import { expect } from 'chai'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

interface Row {
  messages: string[]
  shown: { file: string; title: string }[]
}

/** `| reason | message | file: title |`; several tests of one row are separated by `<br>`. */
const rows: Row[] = read('docs/conditions.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| reason'))
  .map((line) => {
    const cells = line.slice(1, line.lastIndexOf('|')).split(' | ')
    const shown = (cells.at(-1) ?? '').split('<br>').map((test) => {
      const [file = '', ...title] = test.trim().split(': ')
      return { file, title: title.join(': ').trim() }
    })
    return {
      messages: cells
        .slice(0, -1)
        .flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message)),
      shown,
    }
  })

/**
 * A title is the texts of its `describe`s and its `it`, joined by spaces; either text may come from a row of a table.
 */
function isTitle(title: string, source: string): boolean {
  if (title === '') return true
  if (templates(source).some((template) => template.test(title))) return true
  const ends = [...title.matchAll(/ /g)].map(({ index }) => index)
  return [title.length, ...ends].some(
    (end) => isQuoted(title.slice(0, end), source) && isTitle(title.slice(end + 1), source),
  )
}

const isQuoted = (text: string, source: string): boolean =>
  [`'${text.replaceAll("'", "\\'")}'`, `"${text}"`, `\`${text}\``].some((quoted) => source.includes(quoted))

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

const placed = (template: string): string[] => template.split(/\$\{(?:[^{}]|\{[^{}]*\})*\}/)

const templates = (source: string): RegExp[] =>
  [...source.matchAll(/\b(?:it|describe)\(\s*`([^`]*\$\{[^`]*)`/g)].map(
    ([, template = '']) => new RegExp(`^${placed(template).map(escaped).join('.+')}$`),
  )

/** The messages of waiting and failing results, with a placeholder for each value. */
const sources = globSync('activities/**/*.ts', { cwd: root }).flatMap((path) =>
  [...read(path).matchAll(/\b(?:waiting|failing|permanent)\(\s*(?:'((?:[^'\\\n]|\\.)*)'|`([^`]*)`)/g)].map(
    ([, plain, template]) => ({
      path,
      message: (plain ?? template ?? '').replaceAll("\\'", "'"),
    }),
  ),
)

describe('docs/conditions.md', () => {
  it('names a test for each row, which is there', () => {
    expect(rows.length).to.be.greaterThan(50)
    const missing = rows.flatMap(({ messages, shown }) =>
      shown
        .filter(({ file, title }) => {
          if (!globSync(file, { cwd: root }).includes(file)) return true
          return !isTitle(title, read(file))
        })
        .map(({ file, title }) => `${messages.join()}: ${file}: ${title}`),
    )
    expect(missing.join('\n')).to.equal('')
  })

  it('has every message that an action waits or fails with', () => {
    expect(sources.length).to.be.greaterThan(30)
    const known = rows.flatMap(({ messages }) => messages)
    const absent = sources.filter(({ message }) => {
      const parts = placed(message)
      const pattern = new RegExp(`^${parts.map(escaped).join('.+')}$`)
      const example = parts.join('X')
      // In the table `…` stands for the rest of a sentence.
      const shortened = (each: string) =>
        each.includes('…') && new RegExp(`^${each.split('…').map(escaped).join('.*')}$`).test(example)
      return parts.some((part) => part.length > 3) && !known.some((each) => pattern.test(each) || shortened(each))
    })
    expect(absent.map(({ path, message }) => `${path}: ${message}`).join('\n')).to.equal('')
  })
})
