/**
 * `--wait`: shows an operation until it ends; timeouts and interrupts have the same text for every kind of operation.
 */
import type { Client } from '../../client/client.ts'
import { listenForChanges, type Change } from '../../client/wait/changes.ts'
import type { PollOptions, WaitResult } from '../../client/wait/wait-until.ts'
import { durationText } from '../output/value-text.ts'
import { CliError } from '../session/exit-codes.ts'
import type { Session } from '../session/session.ts'
import { plainText } from '../session/terminal.ts'
import { showProgress } from './progress.ts'

export interface Work<Status> {
  name: string
  /** `deploy`, `creation`, `deletion`, `scaling`. */
  noun: string
  goal: 'ready' | 'gone'
  /** The command that shows the progress. */
  look: string
  timeoutMs: number
  /** Whether a message of the change stream is worth a look. */
  concerns: (change: Change) => boolean
  textOf: (status: Status) => string
  wait: (patience: PollOptions<Status>) => Promise<WaitResult<Status>>
}

/** Flags of every command that can wait. */
export interface WaitFlags {
  wait?: boolean
  timeout: string
}

export const timeoutFlag = ['--timeout <duration>', 'how long to wait', '10m'] as const

/**
 * Waits, and with `--json` prints the last status read. Returns the end of the operation, complete or failed.
 * @throws CliError `timedOut`, or `error` when interrupted; the operation goes on.
 */
export async function follow<Status>(
  session: Session,
  client: Client,
  work: Work<Status>,
): Promise<WaitResult<Status>> {
  const { name, noun, goal, look } = work
  const result = await waitShowing(session, client, work)
  if (session.flags.json === true && result.status !== undefined) session.terminal.json(result.status)
  if (result.outcome !== 'timedOut') return result
  const waitingFor = result.reason === '' ? '' : ` (${plainText(result.reason)})`
  throw new CliError(
    'timedOut',
    `${name} is not ${goal} after ${durationText(result.elapsedMs)}${waitingFor}; the ${noun} goes on, look with \`${look}\``,
  )
}

/** The last line of a successful wait; none with `--json`. */
export function reportEnd(
  { terminal, flags }: Session,
  { name, goal }: Pick<Work<never>, 'name' | 'goal'>,
  elapsedMs: number,
  url = '',
): void {
  if (flags.json !== true)
    terminal.line(
      `${terminal.colors.green('✓')} ${name} is ${goal} after ${durationText(elapsedMs)}${url === '' ? '' : `: ${url}`}`,
    )
}

async function waitShowing<Status>(
  session: Session,
  client: Client,
  { name, noun, look, timeoutMs, concerns, textOf, wait }: Work<Status>,
): Promise<WaitResult<Status>> {
  const { terminal, flags, now, sleep, signal } = session
  const json = flags.json === true
  const progress = showProgress(
    terminal,
    terminal.live && !json,
    now,
    json ? terminal.note : terminal.line,
    `${noun} accepted`,
  )
  const changes = listenForChanges(client, concerns, sleep)
  const onStatus = (status: Status, elapsedMs: number): void => progress.tell(textOf(status), elapsedMs)
  try {
    return await wait({ timeoutMs, now, sleep: changes.sleep, signal, onStatus, onTrouble: progress.trouble })
  } catch (error) {
    if (!signal.aborted) throw error
    throw new CliError('error', `no longer waiting; the ${noun} of ${name} goes on, look with \`${look}\``, error)
  } finally {
    changes.stop()
    progress.end()
  }
}
