/**
 * Reads of runs that may be stuck. None of these calls counts as an action at Temporal, or writes anything.
 */
import type { Client, WorkflowExecutionInfo, WorkflowHandle } from '@temporalio/client'
import { tsToMs } from '@temporalio/common/lib/time.js'
import type { PlannedRun, ScheduleRunInput } from '../../activities/functions/messages.ts'
import { controlQueue } from '../../durable/queues.ts'
import { plannedStart } from '../../durable/search-attributes.ts'
import { type Misses, missesOf } from './verdict.ts'

/** Limit of a call: long enough for a busy server; a look that takes longer is repeated. */
const callMs = 10_000
/** Events that are read: more than lie between two workflow tasks of a run, also if many signals came. */
const tailLength = 200
/** Most earlier runs of the same id whose end is read. */
const mostBefore = 4

export type OpenRun = Pick<WorkflowExecutionInfo, 'workflowId' | 'runId' | 'type'>

/** A call of Temporal with a deadline; the next look repeats one that is late. */
export const inTime = <R>(client: Client, call: () => Promise<R>): Promise<R> =>
  client.withDeadline(Date.now() + callMs, call)

/** Every open run of svc; those of other applications in the namespace have other task queues. */
export async function openRuns(client: Client): Promise<OpenRun[]> {
  return await inTime(client, async () => {
    const runs: OpenRun[] = []
    for await (const { workflowId, runId, type } of client.workflow.list({
      query: `ExecutionStatus = "Running" AND TaskQueue = "${controlQueue}"`,
    }))
      runs.push({ workflowId, runId, type })
    return runs
  })
}

export const handleOf = (client: Client, { workflowId, runId }: OpenRun): WorkflowHandle =>
  client.workflow.getHandle(workflowId, runId)

/** The failed workflow tasks of a run; undefined while no task is pending, as in every run that waits. */
export async function readMisses(client: Client, run: OpenRun): Promise<Misses | undefined> {
  const { raw } = await inTime(client, () => handleOf(client, run).describe())
  const pending = raw.pendingWorkflowTask
  if (pending === null || pending === undefined) return undefined
  const { history } = await inTime(client, () =>
    client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: client.options.namespace,
      execution: executionOf(run),
      maximumPageSize: tailLength,
    }),
  )
  const { versionTransition } = raw.workflowExecutionInfo?.versioningInfo ?? {}
  return missesOf(history?.events ?? [], pending.attempt ?? 1, (versionTransition ?? null) !== null)
}

/** How many of the newest runs of this id, in a row, were terminated with a reason that begins like this. */
export async function countEnded(client: Client, { workflowId }: OpenRun, reasonBegins: string): Promise<number> {
  const query = `WorkflowId = "${workflowId}" AND ExecutionStatus != "Running"`
  let ended = 0
  for await (const run of client.workflow.list({ query, pageSize: mostBefore })) {
    if (ended >= mostBefore || run.status.name !== 'TERMINATED') break
    const { history } = await inTime(client, () =>
      client.workflowService.getWorkflowExecutionHistoryReverse({
        namespace: client.options.namespace,
        execution: executionOf(run),
        maximumPageSize: 1,
      }),
    )
    if (history?.events?.[0]?.workflowExecutionTerminatedEventAttributes?.reason?.startsWith(reasonBegins) !== true)
      break
    ended += 1
  }
  return ended
}

/** The event that a run can be reset to: the end of its first workflow task, however that ended. */
export async function firstTaskEnd(
  client: Client,
  run: OpenRun,
): Promise<
  NonNullable<Parameters<Client['workflowService']['resetWorkflowExecution']>[0]['workflowTaskFinishEventId']>
> {
  const { history } = await inTime(client, () =>
    client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: executionOf(run),
      maximumPageSize: tailLength,
    }),
  )
  const end = history?.events?.find(
    (event) =>
      event.workflowTaskCompletedEventAttributes ??
      event.workflowTaskFailedEventAttributes ??
      event.workflowTaskTimedOutEventAttributes,
  )?.eventId
  if (end === null || end === undefined) throw new Error(`no workflow task of ${run.workflowId} has ended`)
  return end
}

/** Schedule and planned time of a scheduled run; all times are by Temporal's clock. */
export async function plannedRunOf(
  client: Client,
  run: OpenRun,
): Promise<{ planned: PlannedRun; times: { lateMs: number; ms: number } }> {
  const { raw, startTime, typedSearchAttributes } = await inTime(client, () => handleOf(client, run).describe())
  const { history } = await inTime(client, () =>
    client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: executionOf(run),
      maximumPageSize: 1,
    }),
  )
  const [payload] = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? []
  if (payload === undefined) throw new Error(`${run.workflowId} has no input`)
  const { payloadConverter } = client.options.loadedDataConverter
  const schedule = payloadConverter.fromPayload<ScheduleRunInput>(payload)
  const at = typedSearchAttributes.get(plannedStart) ?? startTime
  const lastTask = raw.pendingWorkflowTask?.scheduledTime
  return {
    planned: { ...schedule, id: run.workflowId, planned: at.toISOString() },
    times: {
      lateMs: Math.max(0, startTime.getTime() - at.getTime()),
      ms: lastTask === null || lastTask === undefined ? 0 : Math.max(0, tsToMs(lastTask) - startTime.getTime()),
    },
  }
}

export const executionOf = ({ workflowId, runId }: OpenRun) => ({ workflowId, runId })
