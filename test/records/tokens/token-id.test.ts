/** The id of a token proves that this install made it. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { isProven, isTokenId, mintId } from '../../../records/tokens/token-id.ts'

describe('the id of a token', () => {
  const key = randomBytes(32)

  it('is proven by the key it was made with, and by no other', () => {
    for (let n = 0; n < 200; n += 1) {
      const id = mintId(key)
      expect(isTokenId(id), id).to.equal(true)
      expect([isProven(id, key), isProven(id, undefined)]).to.deep.equal([true, false])
    }
    const ids = Array.from({ length: 200 }, () => mintId(key))
    expect(ids.filter((id) => isProven(id, randomBytes(32)))).to.deep.equal([])
  })

  it('is an id without a key, too, and proves nothing', () => {
    const ids = Array.from({ length: 200 }, () => mintId(undefined))
    expect(ids.every(isTokenId)).to.equal(true)
    expect(ids.filter((id) => isProven(id, key))).to.deep.equal([])
  })
})
