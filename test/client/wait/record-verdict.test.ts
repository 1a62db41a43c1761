/**
 * When a database, logical database or bucket counts as ready, failed or gone, and when a read still shows the previous
 * work.
 */
import { expect } from 'chai'
import { judgeGone, judgeReady, type RecordView } from '../../../client/wait/record.ts'
import { staleMs } from '../../../client/wait/wait-until.ts'
import { recordOf, waiting } from '../records.ts'

const before = recordOf({}, 'old')
const failedBefore = recordOf({ state: 'failed', message: 'no capacity' }, 'old')

/** The object server, which needs no deploy: it stays a draft. */
const server = (status: string, reason: string, acceptedIntent = 'new'): RecordView => ({
  ...recordOf({ kind: 'object-store', state: 'draft', message: 'as it is' }),
  status: { observedIntent: 'new', acceptedIntent, conditions: [{ type: 'Ready', status, reason }] },
})

const readyCases: [string, RecordView, RecordView | undefined, string][] = [
  ['ready by this work', recordOf({}, 'new'), before, 'complete'],
  ['ready with a later edit that is not deployed', recordOf({ pendingChanges: 1 }, 'new'), before, 'complete'],
  ['ready from before', recordOf({}, 'old'), before, 'waiting'],
  ['ready, and new', recordOf({}, 'new'), undefined, 'complete'],
  ['ready after a draft that nothing was worked off of', recordOf({}, 'new'), recordOf({ state: 'draft' }), 'complete'],
  ['ready of a server that does not name its work', recordOf(), recordOf(), 'complete'],
  ['pending', waiting('Waiting for the database', 'old'), before, 'waiting'],
  ['draft', recordOf({ state: 'draft' }), undefined, 'waiting'],
  ['a draft that runs', server('True', 'ObjectStoreReady'), undefined, 'complete'],
  ['a draft that ran before it was edited', server('True', 'ObjectStoreReady', 'newer'), undefined, 'waiting'],
  ['a draft that does not run yet', server('False', 'ReconcileError'), undefined, 'waiting'],
  ['a draft that cannot run', server('False', 'ProvisionFailed'), undefined, 'failed: as it is'],
  ['failed by this work', recordOf({ state: 'failed', message: 'no capacity' }, 'new'), before, 'failed: no capacity'],
  ['failed without a message', recordOf({ state: 'failed' }, 'new'), undefined, 'failed: the service gives no reason'],
  ['failed from before a retry', failedBefore, failedBefore, 'waiting'],
  ['deleting', recordOf({ state: 'deleting' }, 'old'), before, 'failed: it is being deleted'],
]

describe('judgeReady', () => {
  const say = (record: RecordView, known: RecordView | undefined, elapsedMs = 0): string => {
    const verdict = judgeReady(record, { before: known, elapsedMs })
    return verdict.kind === 'failed' ? `failed: ${verdict.reason}` : verdict.kind
  }
  for (const [name, record, known, wanted] of readyCases) {
    it(`${name}: ${wanted}`, () => expect(say(record, known)).to.equal(wanted))
  }
  it('trusts a server that keeps naming the same work after a while', () => {
    expect(say(before, before, staleMs - 1)).to.equal('waiting')
    expect(say(before, before, staleMs)).to.equal('complete')
    expect(say(failedBefore, failedBefore, staleMs)).to.equal('failed: no capacity')
  })
})

const goneCases: [string, RecordView | undefined, string][] = [
  ['no record', undefined, 'complete'],
  ['a record that is being deleted', recordOf({ state: 'deleting' }), 'waiting'],
  ['a record whose deletion was not observed yet', recordOf(), 'waiting'],
  ['another record of the same name', recordOf({ createdAt: '2026-11-21T14:00:00Z' }), 'complete'],
]

describe('judgeGone', () => {
  for (const [name, record, wanted] of goneCases) {
    it(`${name}: ${wanted}`, () => expect(judgeGone(record, before).kind).to.equal(wanted))
  }
  it('waits while a record has the name, when none was read before the deletion', () => {
    expect(judgeGone(recordOf(), undefined).kind).to.equal('waiting')
  })
})
