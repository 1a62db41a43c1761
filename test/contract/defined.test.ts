/** Undefined fields are left out, and nothing else is. */
import { expect } from 'chai'
import { defined, filledIn } from '../../contract/defined.ts'

describe('fields that may be absent', () => {
  it('are left out when they are undefined, and kept when they are null, empty, zero or false', () => {
    const fields = { a: undefined, b: null, c: '', d: 0, e: false, f: 1 }
    expect(defined(fields)).to.deep.equal({ b: null, c: '', d: 0, e: false, f: 1 })
    expect(Object.keys(defined(fields))).to.deep.equal(['b', 'c', 'd', 'e', 'f'])
  })

  it('leave the object that they are taken from as it is', () => {
    const fields = { a: undefined, b: 1 }
    defined(fields)
    expect(fields).to.have.property('a', undefined)
  })

  it('of a form are filled in unless they are blank', () => {
    expect(filledIn({ a: undefined, b: '', c: ' ', d: 0 })).to.deep.equal({ c: ' ', d: 0 })
  })
})
