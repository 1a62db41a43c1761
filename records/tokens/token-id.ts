/** The id of an API token: part of the name of its Secret, with a proof that this install made it. */
import { createHmac, randomInt } from 'node:crypto'

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'
const idLength = 12
/** A random id has a valid proof once in 36^4. */
const proofLength = 4

/** Whether a text has the form of an id; any other text must not become part of a name. */
export const isTokenId = (text: string): boolean => /^[0-9a-z]{12}$/.test(text)

/**
 * Lower case, since it is part of the name of a Secret. Without a key the id has no proof and is valid all the same.
 */
export function mintId(key: Buffer | undefined): string {
  const length = key === undefined ? idLength : idLength - proofLength
  const head = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
  return key === undefined ? head : head + proofOf(head, key)
}

/** Whether the id has a proof by this key; ids of earlier releases have none. */
export function isProven(id: string, key: Buffer | undefined): boolean {
  const head = id.slice(0, idLength - proofLength)
  return key !== undefined && id === head + proofOf(head, key)
}

function proofOf(head: string, key: Buffer): string {
  const digest = createHmac('sha256', key).update(`token id ${head}`).digest()
  return (digest.readUInt32BE() % alphabet.length ** proofLength).toString(alphabet.length).padStart(proofLength, '0')
}
