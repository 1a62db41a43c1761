/** Which files a service watches, and that no pattern keeps a worker busy. */
import { expect } from 'chai'
import { isWatched } from '../../../../kinds/apps/git/watch-patterns.ts'

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
      const matches = (path: string) => isWatched([pattern], [path])
      expect(matched.filter((path) => !matches(path))).to.deep.equal([])
      expect(others.filter(matches)).to.deep.equal([])
    })

  it('is one of several, as the file is', () => {
    expect(isWatched(['api/**', 'web/*'], ['README.md', 'web/a.ts'])).to.equal(true)
    expect(isWatched(['api/**', 'web/*'], ['README.md', 'shop/a.ts'])).to.equal(false)
    expect(isWatched(['api/**'], [])).to.equal(false)
  })

  // As regular expressions, or expanded, each of these takes seconds to days.
  const slow: [string, string][] = [
    ['*a'.repeat(120) + '*b', 'a'.repeat(2000)],
    [`*${'a'.repeat(246)}b*x`, 'a'.repeat(2000)],
    ['**/' + 'a/'.repeat(120) + 'b', 'a/'.repeat(1000) + 'a'],
    ['**/' + '*/'.repeat(120) + 'b', 'a/'.repeat(1000) + 'a'],
    ['**/*a'.repeat(40) + '/b', 'a/'.repeat(1000) + 'a'],
    ['{1..100000000}', 'web/a.ts'],
    ['{a,b}'.repeat(50), 'web/a.ts'],
    ['+(a|aa)'.repeat(30), 'a'.repeat(2000)],
  ]
  for (const [pattern, path] of slow)
    it(`${pattern.slice(0, 14)}… is answered at once, also of fifty patterns and a thousand files`, () => {
      const before = process.cpuUsage()
      isWatched(Array.from({ length: 50 }, () => pattern), Array.from({ length: 1000 }, () => path)) // prettier-ignore
      expect(process.cpuUsage(before).user, 'microseconds of the processor').to.be.below(3_000_000)
    })

  it('is taken to match where that takes too long to find out', () => {
    expect(isWatched(['*b'], ['aaaa', 'aaaa'], 9)).to.equal(true)
    expect(isWatched(['*b'], ['aaaa', 'aaaa'], 10)).to.equal(false)
  })
})
