/** Texts that svc gives to a browser and recognises when they come back: what is in them, signed with a purpose. */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** `<body>.<signature>`; what is signed for one purpose passes for no other. */
export function signText(value: object, key: Buffer, purpose: string): string {
  const body = Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${body}.${signature(body, key, purpose)}`
}

/** What was signed; undefined for a text that is forged, or signed for another purpose. */
export function readSigned(text: string, key: Buffer, purpose: string): unknown {
  const [body, signed, rest] = text.split('.')
  if (body === undefined || signed === undefined || rest !== undefined) return undefined
  if (!same(signature(body, key, purpose), signed)) return undefined
  // The signature vouches for it, so it is JSON that was written above.
  return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as unknown
}

/** Compares in constant time. */
export function same(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}

/** The purpose of session cookies is empty, as those of older releases have none. */
function signature(body: string, key: Buffer, purpose: string): string {
  return createHmac('sha256', key)
    .update(purpose === '' ? body : `${purpose} ${body}`)
    .digest('base64url')
}
