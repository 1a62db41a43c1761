/** What the workflow and the activities of a scheduled run exchange: no payload, since the history keeps it. */
import type { RunPhase } from '../../contract/fields/words.ts'
import type { Policy } from '../../durable/policy.ts'
import type { FunctionSchedule } from '../../kinds/apps/functions/schedules.ts'

/** The one argument of the workflow, fixed in the Schedule that starts it. */
export interface ScheduleRunInput extends FunctionSchedule {
  policy: Policy
  /** False if the install may not register search attributes. */
  searchable: boolean
}

/** One run; the same values for every try of it. */
export interface PlannedRun extends FunctionSchedule {
  /** Workflow id of the run. */
  id: string
  /** RFC 3339. */
  planned: string
}

export interface CallInput extends PlannedRun {
  /** Milliseconds since the planned time, by Temporal's clock. */
  lateMs: number
  /** Milliseconds left for the call. */
  withinMs: number
}

export type Called =
  /** No request was sent: the workflow may try again. */
  | { outcome: 'unsent'; message: string }
  /** The service is gone or not deployed any more. */
  | { outcome: 'withdrawn'; message: string }
  | { outcome: 'ended'; phase: RunPhase; message: string; ms: number; status?: number; isNoted: boolean }

export interface NoteInput extends PlannedRun {
  phase: RunPhase
  message: string
  lateMs: number
  ms: number
  status?: number
}
