/** Which files a service watches, and that no pattern keeps a worker busy. */
import { expect } from 'chai'
import { watchPattern } from '../../../kinds/apps/watch-patterns.ts'

describe('a pattern of files that a service watches', () => {
  const table: [string, string[], string[]][] = [
    ['web/**', ['web/a.ts', 'web/b/c.ts'], ['api/a.ts', 'webs/a.ts', 'web/.env', 'web/.git/a']],
    ['**', ['a', 'a/b'], ['.env', '.github/ci.yml']],
    ['*.go', ['main.go', 'a.b.go'], ['cmd/main.go', 'main.got', '.go']],
    ['**/*.go', ['main.go', 'a/b/main.go'], ['main.ts', '.a/main.go']],
    ['a/**/b/**/c', ['a/b/c', 'a/x/b/y/z/c', 'a/b/b/c/c'], ['a/c', 'a/b', 'a/b/c/d']],
    ['.github/**', ['.github/workflows/ci.yml'], ['github/ci.yml']],
    ['web/.*', ['web/.env'], ['web/env']],
    ['./web/*', ['web/a'], ['a']],
    ['a*b*c', ['abc', 'a-b-c', 'abbcc'], ['ab', 'acb', 'abcd', 'xabc']],
    ['ab*ba', ['abba', 'ab-ba'], ['aba']],
    ['app/[id]/page.{ts,tsx}', ['app/[id]/page.{ts,tsx}'], ['app/i/page.ts']],
  ]
  for (const [pattern, matched, others] of table)
    it(`${pattern} matches ${matched.join(', ')} and not ${others.join(', ')}`, () => {
      const matches = watchPattern(pattern)
      expect(matched.filter((path) => !matches(path))).to.deep.equal([])
      expect(others.filter(matches)).to.deep.equal([])
    })

  // As regular expressions, or expanded, each of these takes seconds to days.
  const slow: [string, string][] = [
    ['*a'.repeat(120) + '*b', 'a'.repeat(4000)],
    ['**/*a'.repeat(40) + '/b', 'a/'.repeat(2000) + 'a'],
    ['**/'.repeat(80) + 'b', 'a/'.repeat(2000) + 'a'],
    ['{1..100000000}', 'web/a.ts'],
    ['{a,b}'.repeat(50), 'web/a.ts'],
    ['+(a|aa)'.repeat(30), 'a'.repeat(4000)],
  ]
  for (const [pattern, path] of slow)
    it(`${pattern.slice(0, 14)}… is answered at once`, () => {
      const startedAt = performance.now()
      expect(watchPattern(pattern)(path)).to.equal(false)
      expect(performance.now() - startedAt).to.be.below(500)
    })
})
