/** Wakes are delivered until Temporal takes them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { silentLog } from '../../cluster/objects/log.ts'
import { WakeQueue } from '../../temporal/watch/wake-queue.ts'

describe('the queue of wakes', () => {
  it('delivers a hint again until Temporal takes it', async () => {
    let refusals = 2
    const taken: string[] = []
    const patient = new WakeQueue(async (_kind, name) => {
      await Promise.resolve()
      refusals -= 1
      if (refusals >= 0) throw new Error('away')
      taken.push(name)
    }, silentLog)
    patient.add('app', 'x', { reason: 'test' })
    await sleep(1_000)
    patient.stop()
    expect(taken).to.deep.equal(['x'])
  })
})
