/** Whole numbers among arguments and flags; the service judges their range. */
import { InvalidArgumentError } from 'commander'

/** @throws InvalidArgumentError, a usage error. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}
