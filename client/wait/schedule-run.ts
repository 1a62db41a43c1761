/** Waits until a run of a function's schedule that was begun by hand has ended (docs/reference/functions.md#a-run). */
import type { View } from '../../contract/operations.ts'
import type { Client } from '../client.ts'
import { failed, waitUntil, type PollOptions, type Verdict, type WaitResult } from './wait-until.ts'

export type ScheduleRun = View<'apps.schedules'>['items'][number]['runs'][number]

interface RunWait extends PollOptions<ScheduleRun | undefined> {
  client: Client
  app: string
  schedule: string
  /** What the service answered when it began the run. */
  plannedAt: string
}

/** The status is undefined until the run has ended. @throws ApiError when the schedules may not be read. */
export async function waitForScheduleRun({
  client,
  app,
  schedule,
  plannedAt,
  ...options
}: RunWait): Promise<WaitResult<ScheduleRun | undefined>> {
  return await waitUntil<ScheduleRun | undefined>({
    ...options,
    read: async (signal) => {
      const { items } = await client.call('apps.schedules', { app }, { signal })
      return runSince(items.find(({ name }) => name === schedule)?.runs ?? [], plannedAt)
    },
    judge: judgeRun,
    waitingFor: () => '',
  })
}

/**
 * The first run that was planned then or later: a Temporal server that is older than planned times of callers plans it
 * for the moment at which it learns of it. @param runs newest first.
 */
export const runSince = (runs: readonly ScheduleRun[], plannedAt: string): ScheduleRun | undefined =>
  runs.findLast((run) => Date.parse(run.plannedAt) >= Date.parse(plannedAt))

function judgeRun(run: ScheduleRun | undefined): Verdict {
  if (run === undefined) return { kind: 'waiting' }
  return run.phase === 'Succeeded' ? { kind: 'complete' } : failed(`${run.phase}: ${run.message}`)
}
