/** Waits until a database, logical database or bucket is ready, or gone. */
import { ApiError } from './api-error.ts'
import { judgeGone, judgeReady } from './record-verdict.ts'
import type { RecordView } from './record-verdict.ts'
import { waitUntil } from './wait-until.ts'
import type { Patience, WaitResult } from './wait-until.ts'

/** A status is undefined when there is no such record. */
export interface RecordWait extends Patience<RecordView | undefined> {
  read: (signal: AbortSignal) => Promise<RecordView>
  goal: 'ready' | 'gone'
  /** What was read before the work was asked for. */
  before?: RecordView
}

/** @throws ApiError when what should get ready is gone, or may not be read; whatever the signal was aborted with. */
export async function waitForRecord({ read, goal, before, ...patience }: RecordWait): Promise<WaitResult<RecordView | undefined>> {
  const waitingFor = (record: RecordView | undefined): string => record?.resource.message ?? ''
  if (goal === 'gone') return await waitUntil({ ...patience, waitingFor, read: unlessGone(read), judge: (record) => judgeGone(record, before) })
  const judge = (record: RecordView, elapsedMs: number) => judgeReady(record, { before, elapsedMs })
  return await waitUntil<RecordView>({ ...patience, waitingFor, read, judge })
}

const unlessGone = (read: RecordWait['read']) => async (signal: AbortSignal) => {
  try {
    return await read(signal)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}
