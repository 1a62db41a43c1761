/** docs/reference/limits.md names every limit of the interface, and no constant that is not there. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import * as limits from '../../contract/limits.ts'
import { standardPolicy } from '../../durable/policy.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/reference/limits.md'), 'utf8')
/** Constants stand in the last column of a table, and in parentheses or after a colon in prose. */
const inTables = page.split('\n').flatMap((line) => [...(line.split('|').at(-2) ?? '').matchAll(/`([a-z]\w+)`/g)].map(([, name = '']) => name))
const constants = new Set([...Object.keys(limits), ...Object.keys(standardPolicy)])

describe('the page of limits', () => {
  it('names every limit of the interface', () => {
    expect(Object.keys(limits).filter((name) => !page.includes(`\`${name}\``))).to.deep.equal([])
  })
  it('names no constant that is not there', () => {
    expect(inTables.filter((name) => !constants.has(name))).to.deep.equal([])
  })
})
