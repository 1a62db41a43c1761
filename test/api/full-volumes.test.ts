/** When the metrics store is asked for full volumes, and for how long its answer counts. */
import { expect } from 'chai'
import { createFullVolumes } from '../../api/context/full-volumes.ts'
import { silentLog } from '../../cluster/objects/log.ts'
import { type Labelled, MetricsUnavailable } from '../../outside/metrics/prometheus.ts'

const second = 1000

describe('full volumes', () => {
  let now = 0
  let asked = 0
  let answer: () => Promise<Labelled[]>
  const volume = (value: number): Labelled => ({
    labels: { namespace: 'proj-production', persistentvolumeclaim: 'data-orders-0' },
    value,
  })
  const full = { namespace: 'proj-production', claim: 'data-orders-0', share: 0.9 }
  const metrics = {
    range: async () => [],
    instant: async () => {
      asked += 1
      return await answer()
    },
  }
  const read = () => createFullVolumes({ metrics, clock: () => now, log: silentLog })
  beforeEach(() => {
    now = asked = 0
    answer = async () => [volume(0.9)]
  })

  it('are asked for once in half a minute, and are gone with the next answer', async () => {
    const volumes = read()
    expect(await volumes()).to.deep.equal([full])
    answer = async () => []
    now += 29 * second
    expect([await volumes(), asked]).to.deep.equal([[full], 1])
    now += second
    expect([await volumes(), asked]).to.deep.equal([[], 2])
  })

  it('stay known for five minutes without an answer', async () => {
    const volumes = read()
    await volumes()
    answer = async () => {
      throw new MetricsUnavailable('no metrics store is configured')
    }
    now += 299 * second
    expect(await volumes()).to.deep.equal([full])
    now += second
    expect(await volumes()).to.deep.equal([])
  })

  it('keep no reader waiting for a store that is slow', async () => {
    const volumes = read()
    let end: (found: Labelled[]) => void = () => undefined
    answer = () => new Promise((resolve) => (end = resolve))
    expect(await volumes()).to.deep.equal([])
    end([volume(0.9)])
    expect([await volumes(), asked]).to.deep.equal([[full], 1])
  })
})
