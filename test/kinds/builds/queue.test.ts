/** Which build may start. */
import { expect } from 'chai'
import { positionOf, queueOf } from '../../../kinds/builds/queue.ts'
import { build } from './build-record.ts'

describe('the queue of builds', () => {
  const [one, other] = ['proj-00000001', 'proj-00000002'] as const

  it('lets projects take turns, and of one project the oldest first', () => {
    const builds = [
      build('a3', one, {}, 3),
      build('a1', one, {}, 1),
      build('a2', one, {}, 2),
      build('b1', other, {}, 4),
    ]
    expect(queueOf(builds).map(({ metadata }) => metadata.name)).to.deep.equal(['a1', 'b1', 'a2', 'a3'])
  })

  it('counts what runs of a project', () => {
    const runs = build('a0', one, { phase: 'Running', jobRef: 'x' })
    const builds = [runs, build('a1', one, {}, 1), build('b1', other, {}, 2)]
    expect(queueOf(builds).map(({ metadata }) => metadata.name)).to.deep.equal(['b1', 'a1'])
    expect(['b1', 'a1'].map((name) => positionOf(build(name), builds, 2))).to.deep.equal([0, 1])
  })

  it('holds a place until the Job is removed', () =>
    expect(positionOf(build('a1'), [build('a0', one, { phase: 'Failed', jobRef: 'x' }), build('a1')], 1)).to.equal(1))
})
