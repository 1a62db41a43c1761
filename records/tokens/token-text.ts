/** The text of an API token, `<prefix>_<id>_<secret>`, and the stored digest. */
import { hash, randomBytes } from 'node:crypto'
import { isEqualInConstantTime } from '../secrets/constant-time.ts'

export type TokenScope = 'workspace' | 'project'

const prefixes: Record<TokenScope, string> = { workspace: 'svw', project: 'svp' }
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretBytes = 32
/** Digits of base62 that 256 bits need. */
const secretLength = 43

export interface TokenText {
  readonly scope: TokenScope
  readonly id: string
  readonly secret: string
}

/** 256 random bits in base62. */
export function mintSecret(): string {
  let rest = BigInt(`0x${randomBytes(secretBytes).toString('hex')}`)
  let text = ''
  for (let digit = 0; digit < secretLength; digit += 1) {
    text = (base62[Number(rest % 62n)] ?? '') + text
    rest /= 62n
  }
  return text
}

export const formatToken = ({ scope, id, secret }: TokenText): string => `${prefixes[scope]}_${id}_${secret}`

/** Undefined for a text that is not in the format of a token. */
export function parseToken(text: string): TokenText | undefined {
  const match = /^(svw|svp)_([0-9a-z]{12})_([0-9A-Za-z]{43})$/.exec(text)
  const [, prefix, id, secret] = match ?? []
  if (id === undefined || secret === undefined) return undefined
  return { scope: prefix === prefixes.workspace ? 'workspace' : 'project', id, secret }
}

/** A random secret needs no salt and no slow hash. */
export const digestOf = (secret: string): string => hash('sha256', secret)

/** Whether a stored digest is that of this secret. */
export const matchesDigest = (secret: string, digest: string): boolean =>
  isEqualInConstantTime(digestOf(secret), digest)
