/**
 * `--wait`: shows an operation until it ends; timeouts and interrupts have the same text for every kind of operation.
 */
import type { Client } from '../../client/client.ts'
import { listenForChanges, type Change } from '../../client/wait/changes.ts'
import type { PollOptions, WaitResult } from '../../client/wait/wait-until.ts'
import { durationText } from '../output/value-text.ts'
import { CliError } from '../session/exit-codes.ts'
import type { Session } from '../session/session.ts'
import { plainLine, plainText } from '../session/terminal.ts'
import { showProgress } from './progress.ts'

const lastStepsMs = 5000

export interface Work<Status> {
  name: string
  /** `deploy`, `creation`, `deletion`, `scaling`. */
  noun: string
  goal: 'ready' | 'gone' | 'delivered' | 'complete'
  /** The command that shows the progress. */
  look: string
  timeoutMs: number
  /** Whether a message of the change stream is worth a look. */
  concerns: (change: Change) => boolean
  textOf: (status: Status) => string
  wait: (poll: PollOptions<Status>) => Promise<WaitResult<Status>>
  /** Steps of it that a status leads to, which are shown from then on. Not with `--json`. */
  steps?: (status: Status) => Steps | undefined
}

export interface Steps {
  /** What has them; they are followed once. */
  of: string
  /** Shows each step as it begins; ends by itself, or soon after the signal. */
  follow: (show: (step: string) => void, signal: AbortSignal) => Promise<void>
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
  if (flags.json === true) return
  const end = `${name} is ${goal} after ${durationText(elapsedMs)}${url === '' ? '' : `: ${url}`}`
  terminal.styledLine(`${terminal.colors.green('✓')} ${plainLine(end)}`)
}

async function waitShowing<Status>(
  session: Session,
  client: Client,
  { name, noun, look, timeoutMs, concerns, textOf, wait, steps }: Work<Status>,
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
  const ended = new AbortController()
  const followed = new Map<string, Promise<void>>()
  const onStatus = (status: Status): void => {
    progress.report(textOf(status))
    const more = json ? undefined : steps?.(status)
    if (more !== undefined && !followed.has(more.of))
      followed.set(more.of, more.follow(progress.step, AbortSignal.any([signal, ended.signal])))
  }
  try {
    const result = await wait({ timeoutMs, now, sleep: changes.sleep, signal, onStatus, onTrouble: progress.trouble })
    if (result.outcome !== 'timedOut') await lastSteps(followed.values())
    return result
  } catch (error) {
    if (!signal.aborted) throw error
    throw new CliError('error', `no longer waiting; the ${noun} of ${name} goes on, look with \`${look}\``, error)
  } finally {
    ended.abort()
    changes.stop()
    progress.end()
  }
}

/** What began before the end is shown before the end is. */
async function lastSteps(followed: Iterable<Promise<void>>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => (timer = setTimeout(resolve, lastStepsMs)))
  await Promise.race([Promise.all(followed), late])
  clearTimeout(timer)
}
