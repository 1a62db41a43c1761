/** The sentences that say how a service, a database or a bucket is. */
import { expect } from 'chai'
import { stateSentence } from '../../dashboard/apps/sentence.ts'
import { sentenceOfData } from '../../dashboard/ui/data-sentence.ts'
import type { View } from '../../contract/operations.ts'

describe('the sentence of a state', () => {
  const service = (state: View<'apps.status'>['state'], ready: number): string =>
    stateSentence({
      ...{ name: 'web', project: 'proj-0123abcd', environment: 'production', state, message: 'rolling out web-agwil' },
      ...{ url: '', pendingChanges: 0, ready: false, replicas: { desired: 2, ready, available: ready } },
    })

  it('of a service never has more copies ready than there are to be, while those of two releases are', () => {
    expect(service('pending', 1)).to.contain('1 of 2 copies ready.')
    expect(service('pending', 3)).to.contain('2 of 2 copies ready.')
    expect(service('failed', 3)).to.contain('2 of 2 copies answer.')
  })

  it('of a database says its message, and a message that is the state itself once', () => {
    const database = (message: string) => sentenceOfData({ state: 'pending', message, pendingChanges: 0 }, 'Database')
    expect(database('waiting for its volume')).to.equal('Being set up: waiting for its volume.')
    expect(database('being set up')).to.equal('Being set up.')
    expect(database('')).to.equal('Being set up.')
  })
})
