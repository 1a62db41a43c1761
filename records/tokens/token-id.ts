/** The id of an API token: part of the name of its Secret, with a proof in it that this install made it. */
import { createHmac, randomInt } from 'node:crypto'

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'
const idLength = 12
/** One made-up id in 36^4 looks proven. */
const proofLength = 4

/** Whether a text could be an id; anything else must not become part of a name. */
export const isTokenId = (text: string): boolean => /^[0-9a-z]{12}$/.test(text)

/**
 * Lower case, because it is part of the name of a Secret. Without a key it proves nothing and is an id all the same.
 */
export function mintId(key: Buffer | undefined): string {
  const length = key === undefined ? idLength : idLength - proofLength
  const head = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
  return key === undefined ? head : head + proofOf(head, key)
}

/** Whether an id was made with the key; ids of earlier versions were not. */
export function isProven(id: string, key: Buffer | undefined): boolean {
  const head = id.slice(0, idLength - proofLength)
  return key !== undefined && id === head + proofOf(head, key)
}

function proofOf(head: string, key: Buffer): string {
  const digest = createHmac('sha256', key).update(`token id ${head}`).digest()
  return (digest.readUInt32BE() % alphabet.length ** proofLength).toString(alphabet.length).padStart(proofLength, '0')
}
