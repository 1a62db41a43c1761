/** The comment that says what a file holds stands right above the imports, in every file alike. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

const root = join(import.meta.dirname, '../..')
const apart = /^\/\*\*(?:[^*]|\*(?!\/))*\*\/\n\n+import /

describe('the comment at the head of a file', () => {
  it('has the imports in the next line', () => {
    const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
    expect(files.length).to.be.greaterThan(1000)
    expect(files.filter((file) => apart.test(readFileSync(join(root, file), 'utf8')))).to.deep.equal([])
  })

  it('is seen to stand apart where a line is left empty', () => {
    expect(apart.test("/** What. */\n\nimport a from 'a'\n")).to.equal(true)
    expect(apart.test("/** What. */\nimport a from 'a'\n")).to.equal(false)
    expect(apart.test('/** What. */\n\n/** Of this. */\nexport const a = 1\n')).to.equal(false)
  })
})
