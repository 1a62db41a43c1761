/**
 * Waits until a database, logical database or bucket is ready, has failed or is gone, judged from what a read of it
 * shows (docs/reference/conventions.md#states).
 */
import type { View } from '../../contract/operations.ts'
import { ApiError } from '../api-error.ts'
import { failed, staleMs, waitUntil, type PollOptions, type Verdict, type WaitResult } from './wait-until.ts'

/** A status is undefined when there is no such record. */
export interface RecordWait extends PollOptions<RecordView | undefined> {
  read: (signal: AbortSignal) => Promise<RecordView>
  goal: 'ready' | 'gone'
  /** What was read before the work was asked for. */
  before?: RecordView
}

/** @throws ApiError when what should get ready is gone, or may not be read; whatever the signal was aborted with. */
export async function waitForRecord({
  read,
  goal,
  before,
  ...options
}: RecordWait): Promise<WaitResult<RecordView | undefined>> {
  const waitingFor = (record: RecordView | undefined): string => record?.resource.message ?? ''
  if (goal === 'gone')
    return await waitUntil({
      ...options,
      waitingFor,
      read: unlessGone(read),
      judge: (record) => judgeGone(record, before),
    })
  const judge = (record: RecordView, elapsedMs: number) => judgeReady(record, { before, elapsedMs })
  return await waitUntil<RecordView>({ ...options, waitingFor, read, judge })
}

/** The read of what may be gone: undefined when it is. */
export const unlessGone =
  <Found>(read: (signal: AbortSignal) => Promise<Found>) =>
  async (signal: AbortSignal): Promise<Found | undefined> => {
    try {
      return await read(signal)
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined
      throw error
    }
  }

/** One record; the view is the same for every kind. */
export type RecordView = View<'databases.get'>

interface RecordSince {
  /** What was read before the work was asked for; absent for a record that is new. */
  readonly before: RecordView | undefined
  /** Milliseconds since the work was accepted. */
  readonly elapsedMs: number
}

/** Complete when the state is `ready`, failed when it is `failed`, where that is not the state of the work before. */
export function judgeReady(record: RecordView, { before, elapsedMs }: RecordSince): Verdict {
  const { message } = record.resource
  const state = stateOf(record)
  if (state === 'deleting') return failed('it is being deleted')
  const isNew = elapsedMs >= staleMs || !isSameWork(record, before)
  if (state === 'failed' && isNew) return failed(message === '' ? 'the service gives no reason' : message)
  return { kind: state === 'ready' && isNew ? 'complete' : 'waiting' }
}

/**
 * What needs no deploy, as the object server, has the state `draft` while it runs
 * (docs/reference/object-stores.md#the-object-server): its condition says how it is, of what was worked off.
 */
function stateOf({ resource: { state }, status }: RecordView): RecordView['resource']['state'] {
  const { conditions, observedIntent, acceptedIntent } = status as Provisioned
  if (state !== 'draft' || observedIntent === undefined || observedIntent !== acceptedIntent) return state
  const ready = conditions?.find(({ type }) => type === 'Ready')
  if (ready?.status === 'True') return 'ready'
  return ready?.reason === 'ProvisionFailed' ? 'failed' : 'draft'
}

/** The parts of the status of every such kind that are read here; another service may have none. */
interface Provisioned {
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[]
  readonly observedIntent?: string
  readonly acceptedIntent?: string
}

/**
 * Complete when there is no record of the name, or another one than before. @param record undefined when there is none.
 */
export function judgeGone(record: RecordView | undefined, before: RecordView | undefined): Verdict {
  const other = before !== undefined && record?.resource.createdAt !== before.resource.createdAt
  return { kind: record === undefined || other ? 'complete' : 'waiting' }
}

/** Every deploy and retry is work of its own; a server that does not name what it worked off is believed at once. */
function isSameWork({ status }: RecordView, before: RecordView | undefined): boolean {
  const known = before?.status['observedIntent']
  return known !== undefined && status['observedIntent'] === known
}
