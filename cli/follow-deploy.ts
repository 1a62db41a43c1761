/** `--wait`: shows a deploy until it ends and turns its end into words and an outcome. */
import type { Client } from '../client/client.ts'
import type { DeployStatus } from '../client/deploy-verdict.ts'
import type { WaitResult } from '../client/wait-for-deploy.ts'
import { showDeployProgress } from './deploy-progress.ts'
import { durationText, parseDurationMs } from './duration.ts'
import { CliError } from './exit-codes.ts'
import type { Session } from './session.ts'
import { plainText } from './terminal.ts'

/** Flags of every command that can wait. */
export interface WaitFlags {
  wait?: boolean
  timeout: string
}

export const waitFlag = ['--wait', 'wait until the deploy is complete or has failed'] as const
export const timeoutFlag = ['--timeout <duration>', 'how long to wait', '10m'] as const

/** Of a failed deploy's log, this many lines of each part are shown. */
const logTailLines = 20

/**
 * Performs `act`, which starts a deploy of the service, and waits for its end. The status is read before, so that
 * nobody takes the ready of the deploy before for this one's.
 * @throws CliError `deployFailed`, `timedOut`, or `error` when interrupted; the deploy goes on in the last two.
 */
export async function actAndFollow(session: Session, client: Client, app: string, flags: WaitFlags, act: () => Promise<void>): Promise<void> {
  const timeoutMs = await parseDurationMs('--timeout', flags.timeout)
  const before = await client.call('apps.status', { app }, { signal: session.signal })
  await act()
  await followDeploy(session, client, { app, timeoutMs, before })
}

export async function followDeploy(
  session: Session,
  client: Client,
  { app, timeoutMs, before }: { app: string; timeoutMs: number; before?: DeployStatus },
): Promise<void> {
  const result = await waitShowing(session, client, { app, timeoutMs, ...(before === undefined ? {} : { before }) })
  const { terminal } = session
  if (session.flags.json === true && result.status !== undefined) terminal.json(result.status)
  const took = durationText(result.elapsedMs)
  if (result.outcome === 'complete') {
    const url = result.status?.url ?? ''
    if (session.flags.json !== true) terminal.line(`${terminal.colors.green('✓')} ${app} is ready after ${took}${url === '' ? '' : `: ${url}`}`)
    return
  }
  if (result.outcome === 'timedOut') {
    const waitingFor = result.reason === '' ? '' : ` (${plainText(result.reason)})`
    throw new CliError('timedOut', `${app} is not ready after ${took}${waitingFor}; the deploy goes on, look with \`svc status ${app}\``)
  }
  await printDeployLog(session, client, app, result.status)
  throw new CliError('deployFailed', `the deploy of ${app} failed: ${plainText(result.reason)}`)
}

async function waitShowing(session: Session, client: Client, what: { app: string; timeoutMs: number; before?: DeployStatus }): Promise<WaitResult> {
  const { waitForDeploy } = await import('../client/wait-for-deploy.ts')
  const { terminal, flags, now, sleep, signal } = session
  const json = flags.json === true
  const progress = showDeployProgress(terminal, terminal.live && !json, now, json ? terminal.note : terminal.line)
  try {
    return await waitForDeploy({ ...what, client, now, sleep, signal, onStatus: progress.status, onTrouble: progress.trouble })
  } catch (error) {
    if (!signal.aborted) throw error
    throw new CliError('error', `no longer waiting; the deploy of ${what.app} goes on, look with \`svc status ${what.app}\``, error)
  } finally {
    progress.end()
  }
}

/** The log is a help, not the answer: that it cannot be read is said, and changes no outcome. */
async function printDeployLog(session: Session, client: Client, app: string, status: DeployStatus | undefined): Promise<void> {
  const { terminal, signal } = session
  const id = status?.lastAttempt?.id
  if (id === undefined) return
  try {
    const { sections } = await client.call('apps.deployment-logs', { app, id }, { signal })
    for (const { title, lines } of sections.filter((section) => section.lines.length > 0)) {
      terminal.note(terminal.colors.bold(plainText(title)))
      for (const line of lines.slice(-logTailLines)) terminal.note(`  ${plainText(line)}`)
    }
  } catch (error) {
    terminal.note(`the log of the deployment cannot be shown: ${error instanceof Error ? error.message : String(error)}`)
  }
}
