/** Functions with schedules, the server that stands for their copies, and what svc knows of their runs. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type ScheduleDescription, ScheduleNotFoundError } from '@temporalio/client'
import { scheduleId } from '../../durable/ids.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import type { FunctionRun } from '../../kinds/apps/functions/schedules.ts'
import { readRuns } from '../../records/apps/function-runs.ts'
import { eventually } from '../cluster/eventually.ts'
import { createApp, deploy, type TestRecords, untilState } from '../harness/records.ts'
import { atEnd } from '../harness/stack.ts'
import { useClient } from '../harness/temporal-client.ts'
import { startReceiver, type TestReceiver } from '../outside/webhooks/receiver.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { attemptIn } from './service-world.ts'

const waitMs = 40_000

export type Trigger = NonNullable<AppSpec['source']['function']>['triggers'][number]

export const triggerOf = (name: string, schedule = '0 3 * * *', more: Partial<Trigger> = {}): Trigger => ({
  name,
  schedule,
  path: '/',
  payload: '',
  ...more,
})

export const withTriggers = (...triggers: Trigger[]): Pick<AppSpec, 'source'> => ({
  source: { function: { runtime: 'node', mode: 'http', code: 'export default 1', triggers } },
})

/** What answers in the place of the copies, which are simulated: calls of all functions arrive here. */
export async function startCopies(): Promise<{ copies: TestReceiver; env: Record<string, string> }> {
  const copies = await startReceiver()
  atEnd(() => copies.stop())
  return { copies, env: { SVC_FUNCTION_ENDPOINT: `127.0.0.1:${copies.port}` } }
}

/** The requests that this service got. */
export const callsOf = ({ received }: TestReceiver, app: App) =>
  received.filter(({ headers }) => headers.host?.startsWith(`${app.metadata.name}.`) === true)

/** A function that runs with these schedules. */
export async function runningWith(records: TestRecords, project: Project, ...triggers: Trigger[]): Promise<App> {
  const app = await createApp(records, project, withTriggers(...triggers))
  return deployed(records, app)
}

export async function deployed(records: TestRecords, app: App): Promise<App> {
  return untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
}

/** Undefined where there is none. */
export async function describeSchedule(app: App, trigger: string): Promise<ScheduleDescription | undefined> {
  const { schedule } = await useClient()
  try {
    return await schedule.getHandle(scheduleId(app.metadata.name, trigger)).describe()
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined
    throw error
  }
}

export async function untilSchedule(
  app: App,
  trigger: string,
  wanted: (found: ScheduleDescription | undefined) => boolean,
  words: string,
): Promise<ScheduleDescription | undefined> {
  let found: ScheduleDescription | undefined
  await eventually(
    `schedule ${trigger} ${words}`,
    async () => wanted((found = await describeSchedule(app, trigger))),
    waitMs,
  )
  return found
}

/** Has Temporal begin a run now; in a second of its own, since a run by hand is named after its second. */
export async function runNow(app: App, trigger: string): Promise<void> {
  await sleep(1_000)
  const { schedule } = await useClient()
  await schedule.getHandle(scheduleId(app.metadata.name, trigger)).trigger()
}

/** Resolves with the kept runs of a schedule when there are that many. */
export async function untilRuns(
  { client }: TestRecords,
  app: App,
  trigger: string,
  count: number,
  withinMs = waitMs,
): Promise<FunctionRun[]> {
  let runs: FunctionRun[] = []
  await eventually(
    `${count} runs of ${trigger}`,
    async () => (runs = (await readRuns(client, app.metadata))[trigger] ?? []).length >= count,
    withinMs,
  )
  return runs
}

/** The history of a run that has ended, as text, with what its payloads hold. */
export async function historyOf(run: FunctionRun | undefined): Promise<string> {
  const { workflow } = await useClient()
  const id = run?.id ?? ''
  await workflow
    .getHandle(id)
    .result()
    .catch(() => undefined) // how it ended stands in the history
  return historySoFar(id)
}

/** Resolves when the newest run has this in its history. */
export async function untilInRun(app: App, trigger: string, words: string): Promise<void> {
  await eventually(
    `${words} in the run of ${trigger}`,
    async () => {
      const last = (await describeSchedule(app, trigger))?.info.recentActions.at(-1)
      return last !== undefined && (await historySoFar(last.action.workflow.workflowId)).includes(words)
    },
    waitMs,
  )
}

async function historySoFar(id: string): Promise<string> {
  const { workflow } = await useClient()
  // The history as JSON has what its payloads hold in base64.
  return JSON.stringify(await workflow.getHandle(id).fetchHistory(), (key, value: unknown) =>
    key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value,
  )
}
