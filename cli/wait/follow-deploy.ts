/** `--wait` of a service: shows a deploy until it ends and turns its end into text and an outcome. */
import type { Client } from '../../client/client.ts'
import type { Change } from '../../client/wait/changes.ts'
import { waitForDeploy, type DeployStatus } from '../../client/wait/deploy.ts'
import { deployText } from '../output/resource-text.ts'
import { CliError } from '../session/exit-codes.ts'
import { parseDurationMs } from '../session/flags.ts'
import type { Session } from '../session/session.ts'
import { plainText } from '../session/terminal.ts'
import { stepsOfBuild } from './follow-build.ts'
import { follow, reportEnd, type WaitFlags, type Work } from './follow.ts'
import { defined } from '../../contract/defined.ts'
import { failedDeployLogLines } from '../../contract/limits.ts'

export const waitFlag = ['--wait', 'wait until the deploy is complete or has failed'] as const

/**
 * Performs `act`, which starts a deploy of the service, and waits for its end. The status is read before, so that
 * the end of an earlier deploy does not count as the end of this deploy.
 * @param how of a rollback or a build, at whose end saved changes are still undeployed.
 * @throws CliError `deployFailed`, `timedOut`, or `error` when interrupted; the deploy goes on in the last two.
 */
export async function actAndFollow(
  session: Session,
  client: Client,
  app: string,
  flags: WaitFlags,
  act: () => Promise<void>,
  how: { leavesPending?: boolean } = {},
): Promise<void> {
  const timeoutMs = await parseDurationMs('--timeout', flags.timeout)
  const before = await client.call('apps.status', { app }, { signal: session.signal })
  await act()
  await followDeploy(session, client, { app, timeoutMs, before, ...how })
}

export async function followDeploy(
  session: Session,
  client: Client,
  {
    app,
    timeoutMs,
    before,
    leavesPending,
  }: { app: string; timeoutMs: number; before?: DeployStatus; leavesPending?: boolean },
): Promise<void> {
  const work: Work<DeployStatus> = {
    name: app,
    noun: 'deploy',
    goal: 'ready',
    look: `svc status ${app} --wait`,
    timeoutMs,
    concerns: ofApp(app),
    textOf: deployText,
    wait: async (poll) => await waitForDeploy({ client, app, ...defined({ before, leavesPending }), ...poll }),
    steps: stepsOfBuild(session, client, app),
  }
  const { outcome, reason, status, elapsedMs } = await follow(session, client, work)
  if (outcome === 'complete') return reportEnd(session, work, elapsedMs, status?.url)
  await printDeployLog(session, client, app, status)
  throw new CliError('deployFailed', `the deploy of ${app} failed: ${plainText(reason)}`)
}

/** A service, its builds and its deployments, which are called after it. */
export const ofApp =
  (app: string) =>
  ({ resource, name }: Change): boolean =>
    resource === 'apps' ? name === app : ['builds', 'deployments'].includes(resource) && name.startsWith(`${app}-`)

/** The log is only additional output: a failure to read it is printed and does not change the outcome. */
async function printDeployLog(
  session: Session,
  client: Client,
  app: string,
  status: DeployStatus | undefined,
): Promise<void> {
  const { terminal, signal } = session
  const id = status?.lastAttempt?.id
  if (id === undefined) return
  try {
    const { sections } = await client.call('apps.deployment-logs', { app, id }, { signal })
    for (const { title, lines } of sections.filter(({ lines: { length } }) => length > 0)) {
      terminal.styledNote(terminal.colors.bold(plainText(title)))
      for (const line of lines.slice(-failedDeployLogLines)) terminal.note(`  ${line}`)
    }
  } catch (error) {
    terminal.note(
      `the log of the deployment cannot be shown: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}
