/** Resource versions are compared as numbers of any size, and not at all when one is not a number. */
import { expect } from 'chai'
import { compareVersions } from '../../../cluster/cache/resource-version.ts'

const sign = (order: number | undefined) => (order === undefined ? undefined : Math.sign(order))

describe('the order of resource versions', () => {
  for (const [a, b, order] of [
    ['9', '10', -1],
    ['10', '9', 1],
    ['10', '10', 0],
    ['99999999999999999998', '99999999999999999999', -1],
    ['x', 'y', undefined],
    ['1', 'y', undefined],
    [undefined, '1', undefined],
    ['007', '8', undefined],
    ['x', 'x', 0],
  ] as const) {
    it(`${a} against ${b} is ${order}`, () => expect(sign(compareVersions(a, b))).to.equal(order))
  }
})
