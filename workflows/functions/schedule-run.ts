/** One planned run of a function's schedule: at most one request to the function, and a record of its end. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  patched,
  proxyActivities,
  setCurrentDetails,
  sleep,
  TimeoutFailure,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import type { createFunctionActivities } from '../../activities/functions/call.ts'
import type { Called, PlannedRun, ScheduleRunInput } from '../../activities/functions/messages.ts'
import { plannedStart, searchAttributes } from '../../durable/search-attributes.ts'
import { type Policy, standardPolicy } from '../../durable/policy.ts'
import { functionQueue } from '../../durable/queues.ts'

type Ended = Extract<Called, { outcome: 'ended' }>
type Activities = ReturnType<typeof createFunctionActivities>

const unknown = 'its worker ended while the function was called: whether it ran is not known'

/**
 * Workflow id `function/<app>/<schedule>-<planned time>`, started by the Schedule of that name. A request that may have
 * reached the function is never repeated. Fails with type RunFailed, RunUnknown or RunMissed.
 */
export function scheduleRun(input: ScheduleRunInput): Promise<string> {
  // A cancelled run still waits for the end of its call, which takes minutes at most.
  return CancellationScope.nonCancellable(() => runOnce(input))
}

async function runOnce({ policy: given, searchable, ...schedule }: ScheduleRunInput): Promise<string> {
  // The policy in a Schedule of a former release lacks newer durations.
  const policy = { ...standardPolicy, ...given }
  const { workflowId: id, startTime } = workflowInfo()
  const planned = plannedTime(startTime)
  const run: PlannedRun = { ...schedule, id, planned: planned.toISOString() }
  const lateMs = () => Math.max(0, Date.now() - planned.getTime())
  // The Schedule itself starts no run later than this; a later begin means that no worker was running.
  const isTooLate = Date.now() - startTime.getTime() > policy.scheduleCatchUpMs
  const ended = isTooLate ? missed : await carryOut(policy, run, lateMs)
  if (!ended.isNoted) {
    const { phase, message, ms, status } = ended
    const note = { ...run, phase, message, ms, lateMs: Math.max(0, lateMs() - ms) }
    await activitiesOf(policy).note(status === undefined ? note : { ...note, status })
  }
  if (searchable) upsertSearchAttributes([{ key: searchAttributes.phase, value: ended.phase }])
  setCurrentDetails(`**${schedule.trigger} of ${schedule.app}**: ${ended.message}`)
  if (ended.phase === 'Succeeded' || ended.phase === 'Skipped') return ended.message
  throw ApplicationFailure.create({ type: `Run${ended.phase}`, message: ended.message, nonRetryable: true })
}

const missed: Ended = {
  outcome: 'ended',
  phase: 'Missed',
  message: 'no worker was there to run it in time',
  ms: 0,
  isNoted: false,
}

const failedWith = (message: string): Ended => ({ outcome: 'ended', phase: 'Failed', message, ms: 0, isNoted: false })

/** Tries until a request was sent, or the time for the call is over. */
async function carryOut(policy: Policy, run: PlannedRun, lateMs: () => number): Promise<Ended> {
  const until = Date.now() + policy.callMs
  let pause = policy.callRetryMs
  for (;;) {
    const called = await callOnce(policy, { ...run, lateMs: lateMs(), withinMs: until - Date.now() })
    if (called.outcome === 'ended') return called
    const { message } = called
    if (called.outcome === 'withdrawn') return { outcome: 'ended', phase: 'Skipped', message, ms: 0, isNoted: false }
    if (Date.now() + pause >= until) return failedWith(message)
    await sleep(pause)
    // No worker may have run for longer than the pause.
    if (Date.now() >= until && patched('call-in-time')) return failedWith(message)
    pause = Math.min(2 * pause, policy.retryMaxMs)
  }
}

/**
 * One try; if the activity itself fails, as by a timeout, the request may have been sent, unless no worker has begun
 * it.
 */
async function callOnce(policy: Policy, input: PlannedRun & { lateMs: number; withinMs: number }): Promise<Called> {
  const began = Date.now()
  try {
    return await activitiesOf(policy).call(input)
  } catch (error) {
    if (error instanceof ActivityFailure && hasNotBegun(error)) return missed
    return { outcome: 'ended', phase: 'Unknown', message: unknown, ms: Date.now() - began, isNoted: false }
  }
}

const hasNotBegun = ({ cause }: ActivityFailure): boolean =>
  cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START'

function activitiesOf(policy: Policy) {
  const late = Date.now() - workflowInfo().startTime.getTime()
  const options = { taskQueue: functionQueue, heartbeatTimeout: policy.callHeartbeatMs }
  const { callFunction } = proxyActivities<Activities>({
    ...options,
    summary: 'Call the function',
    // No worker begins it later than a run may begin.
    scheduleToStartTimeout: Math.max(1, policy.scheduleCatchUpMs - late),
    startToCloseTimeout: policy.callMs + policy.activityMs,
    retry: { maximumAttempts: 1 },
  })
  const { noteFunctionRun } = proxyActivities<Activities>({
    ...options,
    summary: 'Note how the run ended',
    startToCloseTimeout: policy.activityMs,
    retry: { initialInterval: policy.retryMs, maximumInterval: policy.retryMaxMs, backoffCoefficient: 2 },
  })
  return { call: callFunction, note: noteFunctionRun }
}

/** The planned time, which Temporal sets as a search attribute of runs that a Schedule starts. */
const plannedTime = (startTime: Date): Date => workflowInfo().typedSearchAttributes.get(plannedStart) ?? startTime
