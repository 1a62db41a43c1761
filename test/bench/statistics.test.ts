/** The numbers that the benches sum up with. */
import { expect } from 'chai'
import { describeSpread, differences, median, percentile } from '../../bench/rig/statistics.ts'
import { countsOf } from '../../bench/rig/temporal-actions.ts'

describe('the statistics of the benches', () => {
  it('take the middle, and the mean of two in the middle', () => {
    expect(median([9, 1, 5])).to.equal(5)
    expect(median([1, 9, 5, 6])).to.equal(5.5)
  })

  it('take the sample below which a part lies', () => {
    const samples = Array.from({ length: 100 }, (_, place) => 100 - place)
    expect(percentile(samples, 0.95)).to.equal(95)
    expect(percentile([7], 0.25)).to.equal(7)
    expect(() => percentile([], 0.5)).to.throw('nothing was measured')
  })

  it('compare round by round', () => {
    expect(differences([10, 20], [4, 25])).to.deep.equal([6, -5])
    expect(() => differences([1], [])).to.throw('rounds')
  })

  it('describe the middle half', () => expect(describeSpread([4, 1, 2, 3])).to.equal('median 3 ms (1 to 3)'))
})

describe("Temporal's metrics", () => {
  const text = [
    'service_requests{operation="RespondWorkflowTaskCompleted",service_name="frontend"} 4',
    'service_requests{operation="RespondWorkflowTaskCompleted",service_name="history"} 4',
    'service_requests{operation="PollWorkflowTaskQueue",service_name="frontend"} 90',
    'persistence_requests{operation="UpdateWorkflowExecution",service_name="history"} 1.1e+01',
    'persistence_requests{operation="GetWorkflowExecution",service_name="history"} 70',
  ].join('\n')
  it('give actions and writes of workflow state', () =>
    expect(countsOf(text)).to.deep.equal({ actions: 4, writes: 11 }))
  it('are no zero when a metric is missing', () =>
    expect(() => countsOf(text.replaceAll('persistence', 'other'))).to.throw('persistence_requests'))
})
