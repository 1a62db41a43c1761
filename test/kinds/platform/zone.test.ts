/** The choice of the zone, as a table. */
import { expect } from 'chai'
import { chooseZone, type ZoneWishes } from '../../../kinds/platform/zone.ts'

const com = { id: 'z1', name: 'example.com' }
const dev = { id: 'z2', name: 'dev.example.com' }
const org = { id: 'z3', name: 'example.org' }
const none: ZoneWishes = { zoneId: '', zoneName: '', zones: [], rootDomain: 'apps.dev.example.com' }

describe('the zone of the platform', () => {
  for (const [what, visible, wishes, chosen] of [
    ['is the configured one, whatever it is called', [com, dev, org], { zoneId: 'z3' }, 'example.org'],
    [
      'is none when the configured one is not visible',
      [com],
      { zoneId: 'z9' },
      'the token sees no zone with the ID z9',
    ],
    ['is the one that the connection names', [com, dev, org], { zoneName: 'example.org' }, 'example.org'],
    [
      'is none when the connection names one that is not visible',
      [com],
      { zoneName: 'example.net' },
      'the token sees no zone example.net',
    ],
    ['matches the root domain as closely as it can', [com, dev, org], {}, 'dev.example.com'],
    ['may be the root domain itself', [com, org], { rootDomain: 'example.com' }, 'example.com'],
    [
      'is no other domain with the same ending',
      [{ id: 'z4', name: 'ample.com' }, org],
      { rootDomain: 'example.com' },
      '2 zones are visible and none matches example.com: choose one',
    ],
    ['is the only visible one', [org], {}, 'example.org'],
    ['is one of those that the connection lists', [com, dev, org], { zones: ['example.org'] }, 'example.org'],
    ['is none without a visible one', [], {}, 'the token sees no zone'],
    [
      'has to be chosen among several that do not match',
      [org, { id: 'z5', name: 'example.net' }],
      {},
      '2 zones are visible and none matches apps.dev.example.com: choose one',
    ],
  ] as const) {
    it(what, () => {
      const choice = chooseZone(visible, { ...none, ...wishes })
      expect('zone' in choice ? choice.zone.name : choice.message).to.equal(chosen)
    })
  }
})
