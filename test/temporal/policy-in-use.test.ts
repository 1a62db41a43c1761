/** Entries of the policy that no workflow reads, as an install has them (docs/reference/limits.md). */
import type { Client } from '@temporalio/client'
import { expect } from 'chai'
import { standardPolicy } from '../../durable/policy.ts'
import { verdictOf } from '../../kinds/builds/checks.ts'
import { checkLimits } from '../../temporal/settings/builder.ts'
import { ensureResync } from '../../temporal/setup/ensure-temporal.ts'

const minute = 60_000

describe('the policy of an install', () => {
  it('compares all records every ten minutes', async () => {
    const made: { spec: object }[] = []
    const schedule = { create: async (options: { spec: object }) => void made.push(options) }
    await ensureResync({ schedule } as unknown as Client, standardPolicy) // all that it calls
    expect(made.map(({ spec }) => spec)).to.deep.equal([{ intervals: [{ every: 10 * minute }] }])
  })

  const passed = [{ name: 'unit', state: 'success' }]
  const running = [{ name: 'unit', state: 'in_progress' }]
  for (const [what, checks, afterMs, state] of [
    ['counts passed checks after 20 s', passed, 20_000, 'success'],
    ['misses the first check after 5 minutes', [], 5 * minute, 'missing'],
    ['waits for the last check for 2 hours', running, 120 * minute, 'timed_out'],
  ] as const)
    it(what, () => {
      const limits = checkLimits(standardPolicy)
      const stateAfter = (waitedMs: number) => verdictOf(checks, 'a'.repeat(40), waitedMs, limits).state
      expect([stateAfter(afterMs - 1), stateAfter(afterMs)]).to.deep.equal(['pending', state])
    })
})
