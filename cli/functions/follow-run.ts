/** `svc functions triggers run --wait`: waits until the list of runs says how the run ended. */
import type { Client } from '../../client/client.ts'
import { waitForScheduleRun, type ScheduleRun } from '../../client/wait/schedule-run.ts'
import { CliError } from '../session/exit-codes.ts'
import type { Session } from '../session/session.ts'
import { plainText } from '../session/terminal.ts'
import { follow, reportEnd, type Work } from '../wait/follow.ts'

interface Begun {
  app: string
  schedule: string
  /** What the answer to the request said; absent from an older service. */
  plannedAt?: string | undefined
  timeoutMs: number
}

/** @throws CliError `deployFailed` where the run did not succeed. */
export async function followRun(
  session: Session,
  client: Client,
  { app, schedule, plannedAt, timeoutMs }: Begun,
): Promise<void> {
  const look = `svc functions triggers list ${app}`
  if (plannedAt === undefined)
    throw new CliError('error', `the run was begun; this service does not say which it is, look with \`${look}\``)
  const work: Work<ScheduleRun | undefined> = {
    name: schedule,
    noun: 'run',
    goal: 'complete',
    look,
    timeoutMs,
    concerns: () => false,
    textOf: (run) => (run === undefined ? 'no end is known yet' : plainText(`${run.phase}  ${run.message}`)),
    wait: async (poll) => await waitForScheduleRun({ client, app, schedule, plannedAt, ...poll }),
  }
  const { outcome, reason, elapsedMs } = await follow(session, client, work)
  if (outcome === 'failed')
    throw new CliError('deployFailed', `the run of ${schedule} did not succeed: ${plainText(reason)}`)
  reportEnd(session, work, elapsedMs)
}
