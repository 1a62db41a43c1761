/**
 * Lines are at most 120 wide, so that two files can be read side by side. Prettier wraps code; comments and the prose
 * of pages are wrapped by hand, and a line whose text cannot be broken (a literal, an address) may be longer.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

const root = join(import.meta.dirname, '../..')
const widest = 120

/** Made by `npm run generate`, a line for each of what they list. */
const generated = ['docs/conditions.md', 'docs/licences.md']

describe('line width', () => {
  it('wraps comments', () => {
    const files = filesOf('*.ts', '*.tsx', '*.mjs')
    expect(files.flatMap((file) => tooWide(file, readFileSync(join(root, file), 'utf8')))).to.deep.equal([])
  })

  it('wraps the prose of pages', () => {
    const files = filesOf('*.md').filter((file) => !generated.includes(file))
    expect(files.flatMap((file) => tooWideProse(file, readFileSync(join(root, file), 'utf8')))).to.deep.equal([])
  })

  it('finds a comment that is too wide, on a line of its own or after code', () => {
    const words = 'word '.repeat(30)
    expect(tooWide('a.ts', `  // ${words}\nconst a = 1 // ${words}\nconst b = '// ${words}'`)).to.deep.equal([
      'a.ts:1',
      'a.ts:2',
    ])
  })

  it('finds prose that is too wide, in a paragraph or in a list, and leaves commands, tables and pictures', () => {
    const words = 'word '.repeat(30)
    const page = [words, '', `- ${words}`, '', `    ${words}`, '', `| ${words} |`, `![${words}](a.svg)`]
    expect(tooWideProse('a.md', [...page, '```', words, '```', words].join('\n'))).to.deep.equal([
      'a.md:1',
      'a.md:3',
      'a.md:12',
    ])
  })
})

const filesOf = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', ...patterns], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n')

function tooWide(file: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.length <= widest) return []
    const comment = /^\s*(?:\*|\/\*\*|\/\/) (?<words>.*)$|^[^'"`]* \/\/ (?<after>.*)$/.exec(line)?.groups
    const words = comment?.['words'] ?? comment?.['after']
    return words === undefined || !words.trim().includes(' ') ? [] : [`${file}:${index + 1}`]
  })
}

function tooWideProse(file: string, text: string): string[] {
  let isFenced = false
  return text.split('\n').flatMap((line, index, lines) => {
    if (/^\s*```/.test(line)) isFenced = !isFenced
    const isCommand = /^ {4}/.test(line) && /^( {4}.*)?$/.test(lines[index - 1] ?? '')
    if (line.length <= widest || isFenced || isCommand || /^\s*(\||!\[)/.test(line)) return []
    return [`${file}:${index + 1}`]
  })
}
