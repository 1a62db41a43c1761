/** What the workflow and the activities of a scheduled run exchange: no payload, since it enters the history. */
import type { Policy } from '../../durable/policy.ts'
import type { FunctionSchedule, RunPhase } from '../../kinds/apps/schedules.ts'

/** The one argument of the workflow, fixed in the Schedule that starts it. */
export interface ScheduleRunInput extends FunctionSchedule {
  policy: Policy
  /** False where the install may not register search attributes. */
  searchable: boolean
}

/** One run: the same however often it is tried. */
export interface PlannedRun extends FunctionSchedule {
  /** Id of its workflow. */
  id: string
  /** RFC 3339. */
  planned: string
}

export interface CallInput extends PlannedRun {
  /** How long after the planned time it is, by the clock that planned it. */
  lateMs: number
  /** What is left of the time that a call may take. */
  withinMs: number
}

export type Called =
  /** Nothing was sent: to be tried again. */
  | { outcome: 'unsent'; message: string }
  /** The schedule does not run any more. */
  | { outcome: 'withdrawn'; message: string }
  | { outcome: 'ended'; phase: RunPhase; message: string; ms: number; status?: number; isNoted: boolean }

export interface NoteInput extends PlannedRun {
  phase: RunPhase
  message: string
  lateMs: number
  ms: number
  status?: number
}
