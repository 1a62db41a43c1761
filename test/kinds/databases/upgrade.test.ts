/** The versions and sizes that the data of a database permits, as a table. */
import { expect } from 'chai'
import { sizeRefusal, versionRefusal } from '../../../kinds/databases/upgrade.ts'

describe('data of a database', () => {
  for (const [engine, from, to, refusal] of [
    ['postgres', '16', '16.4', ''],
    ['postgres', '16.4', '16', ''],
    ['postgres', '16.4', '16.2', 'postgres 16.2 is older than the 16.4 that wrote the data'],
    [
      'postgres',
      '16',
      '17',
      'postgres 17 cannot open the data of postgres 16; create a new database and move the data',
    ],
    [
      'postgres',
      '17',
      '16',
      'postgres 16 cannot open the data of postgres 17; create a new database and move the data',
    ],
    ['mysql', '8.0', '8.4', ''],
    ['mysql', '8.4', '8.0', 'mysql 8.0 is older than the 8.4 that wrote the data'],
    ['redis', '7', '8', ''],
    ['redis', '7.2', '7', ''],
    ['sqlite', '8.36.0', '', ''],
    ['sqlite', '8.36.0', '8.35.9', 'sqlite 8.35.9 is older than the 8.36.0 that wrote the data'],
  ] as const) {
    it(`written by ${engine} ${from} ${refusal === '' ? 'can' : 'cannot'} be opened by ${to === '' ? 'the usual version' : to}`, () => {
      expect(versionRefusal({ engine, version: to }, from)).to.equal(refusal)
    })
  }

  for (const [wanted, there, expandable, refusal] of [
    ['10Gi', '10Gi', false, ''],
    ['20Gi', '10Gi', true, ''],
    ['20Gi', '10Gi', false, 'this cluster cannot enlarge volumes; the database keeps its 10Gi'],
    ['5Gi', '10Gi', true, 'storageSize cannot shrink; the database has 10Gi'],
    ['10240Mi', '10Gi', false, ''],
  ] as const) {
    it(`on ${there} ${refusal === '' ? 'can' : 'cannot'} have ${wanted} where volumes ${expandable ? 'grow' : 'do not grow'}`, () => {
      expect(sizeRefusal({ engine: 'postgres', storageSize: wanted }, there, expandable)).to.equal(refusal)
    })
  }
})
