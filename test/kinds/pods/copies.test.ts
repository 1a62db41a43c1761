/** How a copy is, and why it was started again. */
import { expect } from 'chai'
import { copyState, type CopyPod } from '../../../kinds/pods/copies.ts'

const pod = (status: CopyPod['status'], deletionTimestamp?: string): CopyPod => ({
  metadata: { name: 'web-1', ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
  spec: { nodeName: 'node-a' },
  ...(status === undefined ? {} : { status }),
})
const container = (more: object) => ({ name: 'app', ready: true, restartCount: 0, ...more })

describe('the state of a copy', () => {
  it('of one that runs and never ended', () => {
    const state = copyState(
      pod({ phase: 'Running', startTime: '2026-11-24T05:00:00Z', containerStatuses: [container({})] }),
    )
    expect(state).to.deep.equal({
      name: 'web-1',
      node: 'node-a',
      phase: 'Running',
      ready: true,
      startedAt: '2026-11-24T05:00:00Z',
      restarts: 0,
      message: '',
    })
  })

  const ends: readonly (readonly [reason: string, words: string])[] = [
    ['OOMKilled', 'used more memory than it may'],
    ['Error', 'failed'],
    ['Completed', 'exited by itself'],
    ['SomethingNew', 'SomethingNew'],
  ]
  for (const [reason, words] of ends)
    it(`says of the end ${reason}: ${words}`, () => {
      const terminated = { reason, exitCode: 137, finishedAt: '2026-11-24T05:00:00Z' }
      const state = copyState(pod({ containerStatuses: [container({ restartCount: 3, lastState: { terminated } })] }))
      expect([state.restarts, state.lastEnd]).to.deep.equal([
        3,
        { reason: words, exitCode: 137, at: '2026-11-24T05:00:00Z' },
      ])
    })

  it('has the newest end of all its containers, and the sum of their restarts', () => {
    const ended = (finishedAt: string, exitCode: number) => ({ terminated: { reason: 'Error', exitCode, finishedAt } })
    const containerStatuses = [
      container({ restartCount: 1, lastState: ended('2026-11-24T05:00:00Z', 1) }),
      container({ name: 'side', restartCount: 2, ready: false, lastState: ended('2026-11-24T06:00:00Z', 2) }),
    ]
    const state = copyState(pod({ phase: 'Running', containerStatuses }))
    expect([state.restarts, state.lastEnd?.exitCode, state.ready]).to.deep.equal([3, 2, false])
  })

  it('says why of one that crashes, that it ends of one that is deleted, and nothing of one that was not started', () => {
    const waiting = { reason: 'CrashLoopBackOff' }
    const lastState = { terminated: { reason: 'Error', exitCode: 3 } }
    const crashing = copyState(pod({ containerStatuses: [container({ ready: false, state: { waiting }, lastState })] }))
    expect(crashing.message).to.equal('container app keeps exiting (Error, exit code 3)')
    expect(copyState(pod({ phase: 'Running' }, '2026-11-24T05:00:00Z')).phase).to.equal('Terminating')
    expect(copyState(pod(undefined))).to.include({ phase: 'Unknown', ready: false, restarts: 0 })
  })
})
