/** Signed texts that svc gives to a browser and verifies when they come back; each is signed for one purpose. */
import { createHmac } from 'node:crypto'
import { isEqualInConstantTime } from '../secrets/constant-time.ts'

/** `<body>.<signature>`; a text signed for one purpose is invalid for every other. */
export function signText(value: object, key: Buffer, purpose: string): string {
  const body = Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${body}.${signature(body, key, purpose)}`
}

/** The signed value; undefined for a text that is forged, or signed for another purpose. */
export function readSigned(text: string, key: Buffer, purpose: string): unknown {
  const [body, signed, rest] = text.split('.')
  if (body === undefined || signed === undefined || rest !== undefined) return undefined
  if (!isEqualInConstantTime(signature(body, key, purpose), signed)) return undefined
  // The signature is valid, so the body is JSON that `signText` wrote.
  return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as unknown
}

/** The purpose of session cookies is empty, since older releases signed them without one. */
function signature(body: string, key: Buffer, purpose: string): string {
  return createHmac('sha256', key)
    .update(purpose === '' ? body : `${purpose} ${body}`)
    .digest('base64url')
}
