/** Generated names: readable, DNS labels, and never exhausted. */
import { randomInt } from 'node:crypto'
import { expect } from 'chai'
import { twoWords } from '../../kinds/two-words.ts'

describe('Generated names', () => {
  it('are two words, and unique among thousands', () => {
    const taken = new Set<string>()
    for (let count = 0; count < 12_000; count += 1) {
      const name = twoWords((candidate) => taken.has(candidate), randomInt)
      expect(name).to.match(/^[a-z]+-[a-z]+(-[0-9a-f]+)?$/)
      taken.add(name)
    }
    expect(taken.size).to.equal(12_000)
  })
})
