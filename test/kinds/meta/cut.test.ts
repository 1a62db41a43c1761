/** Texts that are cut say so. */
import { expect } from 'chai'
import { cut } from '../../../kinds/meta/cut.ts'

describe('a text with a limit', () => {
  it('stays as it is where it fits', () => {
    for (const text of ['', 'abcdefgh']) expect(cut(text, 8)).to.equal(text)
  })
  it('ends with a mark where it does not, and is no longer than the limit', () => {
    expect(cut('abcdefghi', 8)).to.equal('abcdef …')
  })
  it('never ends in half of a character', () => {
    expect(cut('abcde😀xyz', 8)).to.equal('abcde …')
  })
})
