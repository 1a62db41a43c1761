/** The steps of a workflow run, read from its history (docs/reference/runs.md#steps). */
import type proto from '@temporalio/proto'
import type { View } from '../../contract/operations.ts'
import { defined } from '../../contract/defined.ts'

type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent
type Payload = proto.temporal.api.common.v1.IPayload
type Time = proto.google.protobuf.ITimestamp
export type Step = View<'runs.get'>['steps'][number]
export type PendingActivity = proto.temporal.api.workflow.v1.IPendingActivityInfo

/** The time as an ISO text; '' for none. */
export const timeOf = (time: Time | null | undefined): string =>
  time?.seconds === undefined || time.seconds === null
    ? ''
    : new Date(Number(time.seconds) * 1000 + Math.floor((time.nanos ?? 0) / 1e6)).toISOString()

/** The JSON value of a payload; undefined without a payload, and for one that is not JSON. */
export function valueOf(payload: Payload | null | undefined): unknown {
  if (payload?.data === undefined || payload.data === null) return undefined
  try {
    return JSON.parse(Buffer.from(payload.data).toString())
  } catch {
    return undefined // of another application, or in another encoding
  }
}

const summaryOf = (event: HistoryEvent): string => {
  const summary = valueOf(event.userMetadata?.summary)
  return typeof summary === 'string' ? summary : ''
}

/** Outcomes of a piece of work whose message is the summary of the wait that follows. */
const isWait = (outcome: unknown): boolean => outcome === 'waiting' || outcome === 'failing'

/** What a piece of work came to, by the `message` of its result; undefined where it has none to show. */
function resultOf(payloads: { payloads?: Payload[] | null } | null | undefined): string | undefined {
  const { outcome, message } = (valueOf(payloads?.payloads?.[0]) ?? {}) as { outcome?: unknown; message?: unknown }
  return typeof message === 'string' && message !== '' && !isWait(outcome) ? message : undefined
}

/** Reads events in their order; `pending` are the activities that an open run waits for. */
export function readSteps(events: readonly HistoryEvent[], pending: readonly PendingActivity[]): Step[] {
  const reader = new StepReader()
  for (const event of events) reader.read(event)
  for (const activity of pending) reader.readPending(activity)
  return reader.steps
}

class StepReader {
  readonly steps: Step[] = []
  /** Activities by the event that scheduled them and by their ID, timers by the event that started them. */
  readonly #open = new Map<string, Step>()
  #taskStartedAt = ''

  read(event: HistoryEvent): void {
    const at = timeOf(event.eventTime)
    if (event.workflowTaskStartedEventAttributes) this.#taskStartedAt = at
    this.#readWake(event, at)
    this.#readActivity(event, at)
    this.#readTimer(event, at)
    const marker = event.markerRecordedEventAttributes
    if (marker?.markerName === 'core_local_activity') this.#readLocal(event, at)
  }

  readPending({ activityId, attempt, lastFailure }: PendingActivity): void {
    const step = this.#open.get(`activity ${activityId}`)
    if (step === undefined) return
    if ((attempt ?? 1) > 1) step.attempts = attempt ?? 1
    if (typeof lastFailure?.message === 'string') step.error = lastFailure.message
  }

  #readWake({ workflowExecutionSignaledEventAttributes: signal }: HistoryEvent, at: string): void {
    if (!signal) return
    const { reason, actor } = (valueOf(signal.input?.payloads?.[0]) ?? {}) as { reason?: unknown; actor?: unknown }
    const words = typeof reason === 'string' ? reason : `signal ${signal.signalName ?? ''}`
    this.steps.push({ kind: 'woken', at, text: typeof actor === 'string' ? `${words} by ${actor}` : words })
  }

  #readActivity(event: HistoryEvent, at: string): void {
    const { activityTaskScheduledEventAttributes: scheduled, activityTaskStartedEventAttributes: started } = event
    if (scheduled) {
      const text = summaryOf(event) || (scheduled.activityType?.name ?? '')
      this.#begin({ kind: 'did', at, text }, String(event.eventId), `activity ${scheduled.activityId}`)
    }
    if (started && (started.attempt ?? 1) > 1) {
      const step = this.#open.get(String(started.scheduledEventId))
      if (step !== undefined) step.attempts = started.attempt ?? 1
    }
    const failed = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes
    const ended = event.activityTaskCompletedEventAttributes ?? event.activityTaskCanceledEventAttributes ?? failed
    const result = resultOf(event.activityTaskCompletedEventAttributes?.result)
    const error = failed ? (failed.failure?.message ?? 'failed') : undefined
    if (ended) this.#end(String(ended.scheduledEventId), at, { result, error })
  }

  #readTimer(event: HistoryEvent, at: string): void {
    if (event.timerStartedEventAttributes)
      this.#begin({ kind: 'waited', at, text: summaryOf(event) || 'a while' }, String(event.eventId))
    const ended = event.timerFiredEventAttributes ?? event.timerCanceledEventAttributes
    if (ended) this.#end(String(ended.startedEventId), at)
  }

  /**
   * A local activity is one event, at the end of the workflow task that it ran in. The event has times by the worker's
   * clock, so those of the task are used. A local activity without a summary only reads the record.
   */
  #readLocal(event: HistoryEvent, at: string): void {
    const text = summaryOf(event)
    if (text === '') return
    const { failure, details } = event.markerRecordedEventAttributes ?? {}
    const ended = defined({ result: resultOf(details?.['result']), error: failure?.message ?? undefined })
    this.steps.push({ kind: 'did', at: this.#taskStartedAt || at, endedAt: at, text, ...ended })
  }

  #begin(step: Step, ...keys: string[]): void {
    this.steps.push(step)
    for (const key of keys) this.#open.set(key, step)
  }

  #end(key: string, at: string, ended: Partial<Record<'result' | 'error', string | undefined>> = {}): void {
    const step = this.#open.get(key)
    if (step !== undefined) Object.assign(step, { endedAt: at, ...defined(ended) })
  }
}

/** Why a run failed or was stopped, by its last event; undefined for a run that is open or has completed. */
export function failureOf(event: HistoryEvent | undefined): string | undefined {
  if (event === undefined) return undefined
  if (event.workflowExecutionFailedEventAttributes)
    return event.workflowExecutionFailedEventAttributes.failure?.message ?? 'failed'
  if (event.workflowExecutionTerminatedEventAttributes)
    return `terminated: ${event.workflowExecutionTerminatedEventAttributes.reason ?? ''}`
  if (event.workflowExecutionTimedOutEventAttributes) return 'ran out of time'
  if (event.workflowExecutionCanceledEventAttributes) return 'cancelled'
  return undefined
}

/** The run that this run continues as new, by its first event. */
export const continuedOf = (event: HistoryEvent | undefined): string | undefined =>
  event?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined
