/** Which records a backup of the platform keeps. */
import { expect } from 'chai'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import { keptRecords } from '../../../kinds/platform-backups/entry.ts'

/** Builds are not repeated, and reports are written anew by the worker of the new cluster. */
const madeAgain = ['build', 'cluster', 'haReadiness']

describe('a backup of the platform', () => {
  it('keeps every kind of record but those that are made again', () => {
    expect([...keptRecords, ...madeAgain].toSorted()).to.deep.equal(Object.keys(resourceTypes).toSorted())
  })
})
