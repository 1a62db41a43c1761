/** The exit codes of a run; they are defined only here (docs/reference/command-line.md#exit-codes). */
import { CommanderError } from 'commander'
import { ApiError } from '../../client/api-error.ts'

export const exitCodes = {
  success: 0,
  /** Network failure, a 400, a cancelled delete, an interrupted wait. */
  error: 1,
  /**
   * Unknown command or flag, missing argument, `KEY=VALUE` without `=`, delete without `--yes` and without a
   * terminal.
   */
  usage: 2,
  /** 404, no saved login, no earlier deployment. */
  notFound: 3,
  /** 401, 403, not signed in, sign-in refused. */
  notAllowed: 4,
  /** A deploy failed during `--wait`. */
  deployFailed: 5,
  /** `--wait` timed out, or a sign-in was not approved before its code expired. */
  timedOut: 6,
} as const

type Outcome = keyof typeof exitCodes

/** An end other than success, with the sentence for the user. */
export class CliError extends Error {
  readonly outcome: Outcome

  constructor(outcome: Exclude<Outcome, 'success'>, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'CliError'
    this.outcome = outcome
  }
}

/** A command in a copy ended with a code of its own, which becomes the code of `svc shell`; it has said why itself. */
export class CommandEnd extends Error {
  readonly exitCode: number

  constructor(exitCode: number) {
    super(`the command ended with exit code ${exitCode}`)
    this.name = 'CommandEnd'
    this.exitCode = exitCode
  }
}

const outcomeOfStatus: Readonly<Record<number, Outcome>> = { 401: 'notAllowed', 403: 'notAllowed', 404: 'notFound' }

/** The exit code for any error of a command. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return exitCodes[error.outcome]
  if (error instanceof CommandEnd) return error.exitCode
  if (error instanceof ApiError) return exitCodes[outcomeOfStatus[error.status] ?? 'error']
  // Help and version end the parsing too; every other error of the parser concerns the arguments.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.success : exitCodes.usage
  return exitCodes.error
}
