/**
 * When a run counts as stuck: its workflow task fails or times out again and again. Pure, so that tests can be tables.
 */
import proto from '@temporalio/proto'
import { defined } from '../../contract/defined.ts'

const { WorkflowTaskFailedCause } = proto.temporal.api.enums.v1

type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent

/** The misses of a run's workflow task, from its history. */
export interface Misses {
  /** Workflow tasks in a row that failed or were not answered in time. */
  count: number
  /** Why the last task that a worker answered failed; undefined if no worker answered. */
  failure?: { cause: string; message: string }
  /** Whether another release has to replay the run, and none of its workers has completed a task of it yet. */
  moves: boolean
}

/**
 * A worker answers the first failure and lets the next ones time out, so three of them take about two workflow task
 * timeouts.
 */
const failuresBefore = 3
/**
 * A killed worker leaves a workflow task unanswered, too, so the run itself is the cause only after several in a row.
 * Fewer (`failuresBefore`) if the run moves to another release: after a first task that a killed worker left
 * unanswered, a worker that cannot replay the run lets each further one time out, and no event shows the failure.
 */
const silencesBefore = 6
/**
 * So many more misses are needed for each time that the run was terminated before; Temporal doubles the pause between
 * tries, up to ten minutes.
 */
const moreEachTime = 3
const mostMore = 9

/**
 * Failures that the workflow did not cause: a signal came while the task was answered, or the run was moved. Temporal
 * repeats these tasks at once.
 */
const harmless = new Set<number>([
  WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND,
  WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_RESET_STICKY_TASK_QUEUE,
  WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_FORCE_CLOSE_COMMAND,
  WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_FAILOVER_CLOSE_COMMAND,
  WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW,
])

/**
 * The misses since the last workflow task that was completed.
 * @param newestFirst the end of the history; the history keeps the first miss of a row, and one more for every signal
 * in between
 * @param attempt of the pending workflow task: it counts the misses that the history does not keep
 * @param transition whether Temporal moves the run to another release; that is so of a run's first task, too, where
 * there is nothing to replay
 */
export function missesOf(newestFirst: readonly HistoryEvent[], attempt: number, transition: boolean): Misses {
  let kept = 0
  let moves = false
  let failure: Misses['failure']
  for (const event of newestFirst) {
    const { workflowTaskFailedEventAttributes: failed, workflowTaskTimedOutEventAttributes: silent } = event
    if (event.workflowTaskCompletedEventAttributes) {
      moves = transition
      break
    }
    if (failed && !harmless.has(failed.cause ?? 0)) {
      kept += 1
      failure ??= { cause: nameOf(failed.cause ?? 0), message: failed.failure?.message ?? '' }
    }
    if (silent) kept += 1
  }
  return { count: kept + Math.max(0, attempt - 2), moves, ...defined({ failure }) }
}

/**
 * Whether the run has to be terminated and started anew.
 * @param endedBefore how often in a row runs of this id were terminated as stuck, under the same release of svc
 */
export function isStuck({ count, failure, moves }: Misses, endedBefore: number): boolean {
  const more = Math.min(mostMore, endedBefore * moreEachTime)
  return count >= (failure === undefined && !moves ? silencesBefore : failuresBefore) + more
}

/** The cause in short, such as `NON_DETERMINISTIC_ERROR`. */
const nameOf = (cause: number): string =>
  (WorkflowTaskFailedCause[cause] ?? String(cause)).replace('WORKFLOW_TASK_FAILED_CAUSE_', '')
