/** The only module that makes conditions: the fields that it keeps, and the messages that it cuts. */
import { expect } from 'chai'
import { readyOf, says, withCondition, withReady } from '../../../kinds/meta/conditions.ts'

const now = '2026-01-02T00:00:00Z'
const messageOf = (message: string): string =>
  readyOf(withReady<'database'>(undefined, { ready: false, reason: 'ReconcileError', message }, 1, now))?.message ?? ''

describe('a condition', () => {
  it('has a reason of its kind, or does not compile', () => {
    const message = 'no'
    // @ts-expect-error no kind is given
    withReady(undefined, { ready: false, reason: 'ReconcileError', message }, 1, now)
    // @ts-expect-error a reason that no kind has
    withReady<'database'>(undefined, { ready: false, reason: 'ReconcileEror', message }, 1, now)
    // @ts-expect-error a reason of another kind
    const written = withReady<'database'>(undefined, { ready: true, reason: 'ObjectStoreReady', message }, 1, now)
    // @ts-expect-error a reason of another kind
    expect(readyOf<'database'>(written)?.reason === 'Deleting').to.equal(false)
    // @ts-expect-error a reason of another condition
    withCondition('CloudflareReady', undefined, { ready: true, reason: 'Verified', message }, 1, now)
    expect(readyOf(written)?.message).to.equal(message)
  })

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
    const verdict = { ready: false, reason: 'ReconcileError' as const, message: 'b'.repeat(5_000) }
    const first = withReady<'database'>(undefined, verdict, 1, now)
    expect(withReady<'database'>(first, verdict, 1, '2026-01-03T00:00:00Z')).to.deep.equal(first)
    expect(says(readyOf(first), verdict.message)).to.equal(true)
    expect(says(readyOf(first), 'b'.repeat(1_000))).to.equal(false)
  })
})
