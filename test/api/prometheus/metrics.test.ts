/**
 * A real Prometheus answers the api as VictoriaMetrics does, on which every other test of metrics runs. It takes
 * minutes to build, so this runs when the folder is named.
 */
import { metricsStoreWithinMs } from '../../harness/metrics-store.ts'
import { type MeasuredWorld, startMeasuredWorld } from '../measured-world.ts'
import { answersOfStore } from '../metrics-answers.ts'

describe('metrics out of a real Prometheus', function () {
  this.timeout(120_000)
  let world: MeasuredWorld

  before(async function () {
    this.timeout(metricsStoreWithinMs)
    world = await startMeasuredWorld('prometheus')
  })
  after(() => world?.stop())

  answersOfStore(() => world)
})
