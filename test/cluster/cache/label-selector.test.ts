/** Label selectors have the same meaning here as at the API server. */
import { expect } from 'chai'
import { parseLabelSelector } from '../../../cluster/cache/label-selector.ts'

const labels = { app: 'shop', 'svc.dev/kind': 'service', empty: '' }

const cases: [selector: string | undefined, matches: boolean][] = [
  [undefined, true],
  ['', true],
  ['app=shop', true],
  ['app==shop', true],
  ['app = shop', true],
  ['app=other', false],
  ['app!=other', true],
  ['missing!=x', true],
  ['app', true],
  ['missing', false],
  ['!missing', true],
  ['!app', false],
  ['empty=', true],
  ['app in (shop, other)', true],
  ['app in (other)', false],
  ['missing in (x)', false],
  ['app notin (shop)', false],
  ['missing notin (x)', true],
  ['svc.dev/kind=service,app in (a,shop),!gone', true],
  ['svc.dev/kind=service,app=other', false],
]

describe('a label selector', () => {
  for (const [selector, matches] of cases) {
    it(`${matches ? 'matches' : 'does not match'}: ${selector ?? 'none'}`, () => {
      expect(parseLabelSelector(selector)(labels)).to.equal(matches)
    })
  }

  it('is refused when it is none', () => {
    expect(() => parseLabelSelector('a=b=c')).to.throw('not a label selector')
  })
})
