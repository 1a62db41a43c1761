/** The two codes of a device sign-in: a long one for the program, a short one for people. */
import { createHash, randomBytes, randomInt } from 'node:crypto'

/** No vowels, so no words; Y counts as one. */
const alphabet = 'BCDFGHJKLMNPQRSTVWXZ'
const groupLength = 4
const deviceBytes = 32

/** 64 hexadecimal characters. */
export const mintDeviceCode = (): string => randomBytes(deviceBytes).toString('hex')

/** Eight letters in two groups: `BCDF-GHJK`. */
export function mintUserCode(): string {
  const letters = Array.from({ length: 2 * groupLength }, () => alphabet[randomInt(alphabet.length)]).join('')
  return shownUserCode(letters)
}

/** Case and dash do not matter (docs/reference/access.md#device-sign-in). */
export const plainUserCode = (code: string): string => code.toUpperCase().replace(/[^A-Z]/g, '')

export function shownUserCode(code: string): string {
  const plain = plainUserCode(code)
  return `${plain.slice(0, groupLength)}-${plain.slice(groupLength)}`
}

/** The stored form of either code. */
export const codeDigest = (code: string): string => createHash('sha256').update(code).digest('hex')
