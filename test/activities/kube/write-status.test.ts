/** The only module that makes conditions: the fields that it keeps, and the messages that it cuts. */
import { expect } from 'chai'
import { says, withCondition, withReady } from '../../../activities/kube/write-status.ts'
import { readyOf } from '../../../kinds/meta/conditions.ts'

const now = new Date('2026-01-02T00:00:00Z')
const fresh = { metadata: { generation: 1 } }
const messageOf = (message: string): string =>
  readyOf(withReady<'database'>(fresh, { ready: false, reason: 'ReconcileError', message }, now))?.message ?? ''

describe('a condition', () => {
  it('has a reason of its kind, or does not compile', () => {
    const message = 'no'
    // @ts-expect-error no kind is given
    withReady(fresh, { ready: false, reason: 'ReconcileError', message }, now)
    // @ts-expect-error a reason that no kind has
    withReady<'database'>(fresh, { ready: false, reason: 'ReconcileEror', message }, now)
    // @ts-expect-error a reason of another kind
    const written = withReady<'database'>(fresh, { ready: true, reason: 'ObjectStoreReady', message }, now)
    // @ts-expect-error a reason of another kind
    expect(readyOf<'database'>(written)?.reason === 'Deleting').to.equal(false)
    // @ts-expect-error a reason of another condition
    withCondition('CloudflareReady', fresh, { ready: true, reason: 'Verified', message }, now)
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

  it('compares the truncated message, so that writing the same text again changes nothing', () => {
    const verdict = { ready: false, reason: 'ReconcileError' as const, message: 'b'.repeat(5_000) }
    const first = withReady<'database'>(fresh, verdict, now)
    const written = { ...fresh, status: { conditions: first } }
    expect(withReady<'database'>(written, verdict, new Date('2026-01-03T00:00:00Z'))).to.deep.equal(first)
    expect(says(readyOf(first), verdict.message)).to.equal(true)
    expect(says(readyOf(first), 'b'.repeat(1_000))).to.equal(false)
  })
})
