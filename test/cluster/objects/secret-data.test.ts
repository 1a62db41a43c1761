/** Secret data and the texts in it, there and back. */
import { expect } from 'chai'
import fc from 'fast-check'
import { dataOf, encoded, textAt, textsOf } from '../../../cluster/objects/secret-data.ts'

describe('the data of a Secret', () => {
  it('gives back every text it was made of', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[-._a-zA-Z0-9]{1,20}$/), fc.string({ unit: 'binary' })),
        (texts) => {
          expect(textsOf({ data: dataOf(texts) })).to.deep.equal({ ...texts })
        },
      ),
    )
  })

  it('is base64 of UTF-8, as kubectl shows it', () => {
    expect(dataOf({ password: 'größe' })).to.deep.equal({ password: 'Z3LDtsOfZQ==' })
    expect(encoded('')).to.equal('')
  })

  it('has no text where key or Secret are missing, and an empty one where it is empty', () => {
    expect([textAt(undefined, 'a'), textAt({}, 'a'), textAt({ data: { b: '' } }, 'a')]).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ])
    expect(textAt({ data: { a: '' } }, 'a')).to.equal('')
    expect(textsOf(undefined)).to.deep.equal({})
    for (const key of ['constructor', 'toString', '__proto__'])
      expect(textAt({ data: { a: '' } }, key), key).to.equal(undefined)
  })
})
