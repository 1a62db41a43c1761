/** The one place that makes conditions: what it keeps, and what it cuts. */
import { expect } from 'chai'
import { conditionOf, readyOf, says, withReady } from '../../../kinds/meta/conditions.ts'

const now = '2026-01-02T00:00:00Z'
const messageOf = (message: string): string =>
  conditionOf(withReady(undefined, { ready: false, reason: 'ReconcileError', message }, 1, now), 'Ready')?.message ?? ''

describe('a condition', () => {
  it('keeps a message of up to 2,000 characters as it is', () => {
    expect(messageOf('a'.repeat(2_000))).to.equal('a'.repeat(2_000))
  })

  it('cuts a longer one, and says so by its end', () => {
    expect(messageOf('a'.repeat(40_000))).to.equal(`${'a'.repeat(1_998)} …`)
  })

  it('cuts no character in two', () => {
    const message = messageOf(`${'a'.repeat(1_997)}😀${'a'.repeat(40_000)}`)
    expect(message).to.equal(`${'a'.repeat(1_997)} …`)
    expect(message.isWellFormed()).to.equal(true)
  })

  it('tells a change by the cut message, so that saying the same again writes nothing', () => {
    const verdict = { ready: false, reason: 'ReconcileError', message: 'b'.repeat(5_000) }
    const first = withReady(undefined, verdict, 1, now)
    expect(withReady(first, verdict, 1, '2026-01-03T00:00:00Z')).to.deep.equal(first)
    expect(says(readyOf(first), verdict.message)).to.equal(true)
    expect(says(readyOf(first), 'b'.repeat(1_000))).to.equal(false)
  })
})
