/** Each page of the reference ends with the limits of its subject, and each limit is on the page of its subject. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { limitsOfPages } from '../../check/generated/limit-subjects.ts'
import { makeLimitsOfPages } from '../../check/generated/limits-of-pages.ts'
import * as limits from '../../contract/limits.ts'
import * as processLimits from '../../contract/process-limits.ts'
import { standardPolicy } from '../../durable/policy.ts'

const root = join(import.meta.dirname, '../..')
/** Pages without a subject of their own. */
const exempt = ['README', 'limits']
const constants = Object.keys({ ...limits, ...processLimits, ...standardPolicy })

/** The section Limits of a page; the last one. */
const sectionOf = (path: string): string =>
  readFileSync(join(root, path), 'utf8').split('\n## Limits\n').slice(1).join('')

describe('the limits of the pages of the reference', () => {
  for (const path of globSync('docs/reference/*.md', { cwd: root })) {
    const page = path.replace(/^.*\/|\.md$/g, '')
    if (exempt.includes(page)) continue
    it(`${page} names those of its subject, and where their values are`, () => {
      const section = sectionOf(path)
      const own: readonly string[] = limitsOfPages[page as keyof typeof limitsOfPages] ?? []
      expect(own).to.have.length.above(0)
      expect(own.filter((name) => !section.includes(`\`${name}\``))).to.deep.equal([])
      expect(section).to.match(/^\[[^\]]+\]\(limits\.md#[a-z-]+\): /)
    })
  }

  it('are all limits that there are', () => {
    const named = new Set<string>(Object.values(limitsOfPages).flat())
    expect(constants.filter((name) => !named.has(name))).to.deep.equal([])
  })

  it('stay at the end of their pages, however often they are written', () => {
    for (const [path, text] of makeLimitsOfPages()) expect(readFileSync(join(root, path), 'utf8'), path).to.equal(text)
  })
})
