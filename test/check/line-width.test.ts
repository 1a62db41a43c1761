/**
 * Lines are at most 120 wide, so that two files can be read side by side. Prettier wraps code; comments are wrapped by
 * hand, and a line whose text cannot be broken (a literal, an address) may be longer.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

const root = join(import.meta.dirname, '../..')
const widest = 120

describe('line width', () => {
  it('wraps comments', () => {
    const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs'], { cwd: root, encoding: 'utf8' })
      .trim()
      .split('\n')
    expect(files.flatMap((file) => tooWide(file, readFileSync(join(root, file), 'utf8')))).to.deep.equal([])
  })

  it('finds a comment that is too wide, on a line of its own or after code', () => {
    const words = 'word '.repeat(30)
    expect(tooWide('a.ts', `  // ${words}\nconst a = 1 // ${words}\nconst b = '// ${words}'`)).to.deep.equal([
      'a.ts:1',
      'a.ts:2',
    ])
  })
})

function tooWide(file: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.length <= widest) return []
    const comment = /^\s*(?:\*|\/\*\*|\/\/) (?<words>.*)$|^[^'"`]* \/\/ (?<after>.*)$/.exec(line)?.groups
    const words = comment?.['words'] ?? comment?.['after']
    return words === undefined || !words.trim().includes(' ') ? [] : [`${file}:${index + 1}`]
  })
}
