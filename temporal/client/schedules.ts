/** The Schedules of functions at Temporal: each starts one short run at every planned time. */
import { randomUUID } from 'node:crypto'
import {
  type CalendarSpec,
  isGrpcServiceError,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
} from '@temporalio/client'
import { DAYS_OF_WEEK, MONTHS } from '@temporalio/client/lib/schedule-types.js'
import { msNumberToTs } from '@temporalio/common/lib/time.js'
import proto from '@temporalio/proto'
import type { FunctionSchedules } from '../../activities/context/needs.ts'
import type { ScheduleRunInput } from '../../activities/functions/messages.ts'
import { scheduledBy, scheduleId, scheduleRunWorkflow } from '../../durable/ids.ts'
import { controlQueue } from '../../durable/queues.ts'
import { pairsOf } from '../../durable/search-attributes.ts'
import { calendarsOf, nextTimes } from '../../kinds/apps/functions/calendar.ts'
import type { FunctionSchedule } from '../../kinds/apps/functions/schedules.ts'
import { digest } from '../../kinds/meta/digest.ts'
import { answerWithinMs, type WakeOptions } from './wakes.ts'

/** See `FunctionSchedules`. The note of each Schedule has its release, and a digest of all that it was made from. */
export function createFunctionSchedules(options: WakeOptions): FunctionSchedules {
  const { client } = options
  const within = <T>(work: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + answerWithinMs, work)
  const handleOf = (app: string, trigger: string) => client.schedule.getHandle(scheduleId(app, trigger))
  const unlessGone = (work: () => Promise<void>): Promise<void> =>
    within(work).catch((error: unknown) => {
      if (!(error instanceof ScheduleNotFoundError)) throw error
    })
  return {
    isUpToDate: async ({ app, trigger, ...schedule }) => {
      try {
        const found = await within(() => handleOf(app, trigger).describe())
        return isCurrent(found, noteOf(options, { app, trigger, ...schedule }), schedule.schedule)
      } catch (error) {
        if (error instanceof ScheduleNotFoundError) return false
        throw error
      }
    },
    put: (schedule) => within(() => put(options, schedule)),
    pause: (app, trigger) => unlessGone(() => handleOf(app, trigger).pause('the service is not deployed')),
    remove: (app, trigger) => unlessGone(() => handleOf(app, trigger).delete()),
    list: async () => {
      const found = []
      for await (const { scheduleId: id } of client.schedule.list()) {
        const schedule = scheduledBy(id)
        if (schedule !== undefined) found.push(schedule)
      }
      return found
    },
  }
}

/** Starts a run by hand: at once, or after the run that is open. False if there is no such Schedule. */
export function createScheduleStarts({ client }: Pick<WakeOptions, 'client'>): {
  run: (app: string, schedule: string, planned: Date) => Promise<boolean>
} {
  return {
    run: async (app, schedule, planned) => {
      // Not by the SDK's `trigger`, which takes no planned time.
      const trigger = {
        overlapPolicy: proto.temporal.api.enums.v1.ScheduleOverlapPolicy.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE,
        scheduledTime: msNumberToTs(planned.getTime()),
      }
      try {
        await client.withDeadline(Date.now() + answerWithinMs, () =>
          client.workflowService.patchSchedule({
            namespace: client.options.namespace,
            scheduleId: scheduleId(app, schedule),
            patch: { triggerImmediately: trigger },
            identity: client.options.identity,
            requestId: randomUUID(),
          }),
        )
        return true
      } catch (error) {
        if (!isGrpcServiceError(error)) throw error
        const { code }: { code: number } = error
        if (code !== notFound) throw error
        return false
      }
    },
  }
}

/** gRPC code NOT_FOUND. */
const notFound = 5

async function put(options: WakeOptions, schedule: FunctionSchedule): Promise<void> {
  const { client } = options
  const id = scheduleId(schedule.app, schedule.trigger)
  const wanted = optionsOf(options, schedule)
  try {
    await client.schedule.create({ scheduleId: id, ...wanted })
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    const handle = client.schedule.getHandle(id)
    if (isCurrent(await handle.describe(), wanted.state.note, schedule.schedule)) return
    await handle.update(() => wanted)
  }
}

/** Compares the note and the next planned time, which shows a change of the Schedule's calendars by hand. */
function isCurrent({ state, info }: ScheduleDescription, note: string, schedule: string): boolean {
  const [next] = info.nextActionTimes
  const isOn = next === undefined || nextTimes(schedule, next.getTime() - 1, 1)[0] === next.getTime()
  return !state.paused && state.note === note && isOn
}

function optionsOf({ policy, searchable, ...options }: WakeOptions, schedule: FunctionSchedule) {
  const { app, trigger, project, environment, release } = schedule
  const input: ScheduleRunInput = { ...schedule, policy, searchable }
  const attributes = { kind: 'function', resource: app, project, environment, attempt: release, operation: 'schedule' }
  return {
    spec: { calendars: calendarsOf(schedule.schedule).map(specOf) },
    action: {
      type: 'startWorkflow' as const,
      workflowType: scheduleRunWorkflow,
      taskQueue: controlQueue,
      args: [input],
      workflowId: scheduleId(app, trigger),
      workflowTaskTimeout: policy.workflowTaskMs,
      staticSummary: `${trigger} of ${app}`,
      ...(searchable ? { typedSearchAttributes: pairsOf({ ...attributes, phase: 'Running' }) } : {}),
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: policy.scheduleCatchUpMs },
    state: { paused: false, note: noteOf({ policy, searchable, ...options }, schedule) },
  }
}

/** The Schedule's note: operators read it in Temporal's UI, and svc sees by it whether the Schedule is current. */
const noteOf = ({ policy, searchable }: WakeOptions, schedule: FunctionSchedule): string =>
  `${schedule.schedule} of release ${schedule.release} (${digest([schedule, policy, searchable]).slice(0, 8)})`

/** The calendar in Temporal's form; by default the second is 0, and every year matches. */
function specOf(calendar: ReturnType<typeof calendarsOf>[number]): CalendarSpec {
  const { minutes, hours, daysOfMonth, months, daysOfWeek } = calendar
  return {
    minute: [...minutes],
    hour: [...hours],
    dayOfMonth: [...daysOfMonth],
    month: months.flatMap((month) => MONTHS[month - 1] ?? []),
    dayOfWeek: daysOfWeek.flatMap((day) => DAYS_OF_WEEK[day] ?? []),
  }
}
