/** What limits the activities of a run, as its history and its local activities show it. */
import { Context } from '@temporalio/activity'
import { optionalTsToMs } from '@temporalio/common/lib/time.js'
import type proto from '@temporalio/proto'
import { useClient } from '../harness/temporal-client.ts'

export type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent

/** An activity as its options limit it; `retryMs`: the first pause and the longest, none if it has one try. */
export interface Limited {
  activity: string
  tryMs: number | undefined
  heartbeatMs?: number | undefined
  retryMs: (number | undefined)[]
}

/** Events have null for what they are not. */
export const present = <T>(value: T | null | undefined): T[] => (value === null || value === undefined ? [] : [value])

/** The events of the newest run of this workflow id. */
export const eventsOf = async (id: string): Promise<HistoryEvent[]> => {
  const { workflow } = await useClient()
  return (await workflow.getHandle(id).fetchHistory()).events ?? []
}

export const scheduledIn = (events: readonly HistoryEvent[]) =>
  events.flatMap(({ activityTaskScheduledEventAttributes: scheduled }) => present(scheduled))

/** The options as Temporal has them. */
export function limitsOf({
  activityType,
  startToCloseTimeout,
  heartbeatTimeout,
  retryPolicy,
}: ReturnType<typeof scheduledIn>[number]): Limited {
  const { maximumAttempts, initialInterval, maximumInterval } = retryPolicy ?? {}
  return {
    activity: activityType?.name ?? '',
    tryMs: optionalTsToMs(startToCloseTimeout),
    heartbeatMs: optionalTsToMs(heartbeatTimeout),
    retryMs: maximumAttempts === 1 ? [] : [optionalTsToMs(initialInterval), optionalTsToMs(maximumInterval)],
  }
}

/** The options of the local activity that calls this, which are in no history. */
export function limitsOfThis(): Limited {
  const { activityType: activity, startToCloseTimeoutMs: tryMs, retryPolicy } = Context.current().info
  // Numbers, as the server has them.
  const pauses = [Number(retryPolicy?.initialInterval), Number(retryPolicy?.maximumInterval)]
  return { activity, tryMs, retryMs: retryPolicy?.maximumAttempts === 1 ? [] : pauses }
}

/** How long tasks waited for the worker that has the run in its cache, until they were taken from it. */
export function stickyWaits(events: readonly HistoryEvent[]): number[] {
  const atOf = new Map(events.map(({ eventId, eventTime }) => [Number(eventId), optionalTsToMs(eventTime) ?? 0]))
  return events.flatMap(({ eventId, workflowTaskTimedOutEventAttributes: timedOut }) =>
    present(timedOut)
      .filter(({ startedEventId }) => Number(startedEventId ?? 0) === 0)
      .map(({ scheduledEventId }) => (atOf.get(Number(eventId)) ?? 0) - (atOf.get(Number(scheduledEventId)) ?? 0)),
  )
}
