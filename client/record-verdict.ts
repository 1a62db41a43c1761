/** Whether a database, logical database or bucket is ready, has failed or is gone, judged from what a read of it tells (States and transitions). */
import type { View } from '../contract/operations.ts'
import { failed, staleMs } from './verdict.ts'
import type { Verdict } from './verdict.ts'

/** The same of every kind. */
export type RecordView = View<'databases.get'>

export interface RecordSince {
  /** What was read before the work was asked for; absent for a record that is new. */
  readonly before: RecordView | undefined
  /** Milliseconds since the work was accepted. */
  readonly elapsedMs: number
}

/** Complete when the state is `ready`, failed when it is `failed`, where that is not told of the work before. */
export function judgeReady(record: RecordView, { before, elapsedMs }: RecordSince): Verdict {
  const { state, message } = record.resource
  if (state === 'deleting') return failed('it is being deleted')
  const isNew = elapsedMs >= staleMs || !isSameWork(record, before)
  if (state === 'failed' && isNew) return failed(message === '' ? 'the service gives no reason' : message)
  return { kind: state === 'ready' && isNew ? 'complete' : 'waiting' }
}

/** Complete when there is no record of the name, or another one than before. @param record undefined when there is none. */
export function judgeGone(record: RecordView | undefined, before: RecordView | undefined): Verdict {
  const other = before !== undefined && record?.resource.createdAt !== before.resource.createdAt
  return { kind: record === undefined || other ? 'complete' : 'waiting' }
}

/** Every deploy and retry is work of its own; a server that does not name what it worked off is believed at once. */
function isSameWork({ status }: RecordView, before: RecordView | undefined): boolean {
  const known = before?.status['observedIntent']
  return known !== undefined && status['observedIntent'] === known
}
