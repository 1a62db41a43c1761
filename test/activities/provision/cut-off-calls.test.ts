/** The wait for calls to a cloud from before a deletion. */
import { expect } from 'chai'
import { awaitCutOffCalls } from '../../../activities/provision/cut-off-calls.ts'

describe('calls to a cloud from before a deletion', () => {
  const metadata = { name: 'one', deletionTimestamp: '2026-01-01T00:00:00Z' }
  const after = (seconds: number) =>
    awaitCutOffCalls(
      { cloudSettleMs: 20_000, now: () => new Date(Date.parse(metadata.deletionTimestamp) + seconds * 1000) },
      { metadata },
      'PlanetScale',
    )
  it('are waited for as long as they may take', () => {
    const message = 'waiting for what was asked of PlanetScale before the deletion to come about'
    for (const seconds of [0, 19]) expect(after(seconds)).to.deep.equal({ outcome: 'waiting', message })
  })
  it('are not waited for after that', () => {
    for (const seconds of [20, 3600]) expect(after(seconds)).to.equal(undefined)
  })
})
