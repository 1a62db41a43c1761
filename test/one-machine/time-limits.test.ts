/** The longer time limits of a slow machine. */
import { expect } from 'chai'
import { scaledLimit } from '../../one-machine/processes/time-limits.ts'

describe('SVC_PATIENCE', () => {
  it('multiplies what a start waits; without it nothing changes', () => {
    expect(scaledLimit(60_000, {})).to.equal(60_000)
    expect(scaledLimit(60_000, { SVC_PATIENCE: '2.5' })).to.equal(150_000)
  })

  for (const wrong of ['0', '0.5', '101', 'much', '', '-3', 'Infinity'])
    it(`refuses ${JSON.stringify(wrong)} with a sentence`, () => {
      expect(() => scaledLimit(1, { SVC_PATIENCE: wrong })).to.throw(
        `SVC_PATIENCE must be a number from 1 to 100, and is ${wrong}`,
      )
    })
})
