/** Values of flags and arguments: whole numbers, durations and texts. */
import { InvalidArgumentError } from 'commander'
import type { OperationId } from '../../contract/operations.ts'
import { CliError } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

/** @throws InvalidArgumentError, a usage error. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** Milliseconds of `90s`, `10m`, `1h30m` or a bare number of seconds. @throws CliError `usage`. */
export async function parseDurationMs(flag: string, text: string): Promise<number> {
  const { durationSeconds } = await import('../../contract/fields/logs.ts')
  const seconds = durationSeconds(text)
  if (seconds === undefined || seconds === 0)
    throw new CliError('usage', `${flag} must be a duration such as 90s, 10m or 1h`)
  return seconds * 1000
}

/** What the file of `@FILE` holds, or standard input for `-`; no literal text. @throws CliError `usage`. */
export async function fileText(terminal: Terminal, flag: string, text: string): Promise<string> {
  if (text === '-') return await terminal.readInput()
  if (!text.startsWith('@')) throw new CliError('usage', `${flag} takes @FILE, or - for standard input`)
  const { readFile } = await import('node:fs/promises')
  return await readFile(text.slice(1), 'utf8').catch((error: unknown) => {
    throw new CliError('usage', `${text.slice(1)} cannot be read`, error)
  })
}

/** What the file holds, named by its path or by `@FILE`; standard input for `-`. @throws CliError. */
export async function pathText(terminal: Terminal, flag: string, path: string): Promise<string> {
  if (path === '-' || path.startsWith('@')) return await fileText(terminal, flag, path)
  return await readPath(path)
}

/** The text itself, what the file of `@FILE` holds, or standard input for `-`. @throws CliError `error`. */
export async function textOf(terminal: Terminal, text: string | undefined): Promise<string | undefined> {
  if (text === '-') return await terminal.readInput()
  if (text?.startsWith('@') !== true) return text
  return await readPath(text.slice(1))
}

async function readPath(path: string): Promise<string> {
  const { readFile } = await import('node:fs/promises')
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new CliError('error', `cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`, error)
  }
}

/**
 * Judges fields as the service does, for a command of several requests: what the last one would be refused for is found
 * before the first is sent. @throws CliError `error` with the sentence of the service
 */
export async function judgeFields(id: OperationId, fields: object): Promise<void> {
  const { operationOf } = await import('../../contract/operations.ts')
  const { error } = operationOf(id).params.safeParse(fields)
  const [issue] = error?.issues ?? []
  if (issue !== undefined) throw new CliError('error', issue.message)
}
