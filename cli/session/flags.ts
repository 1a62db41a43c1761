/** Values of flags and arguments: whole numbers and durations. */
import { InvalidArgumentError } from 'commander'
import { CliError } from './exit-codes.ts'

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
