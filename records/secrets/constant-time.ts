/** The comparison of signatures, tokens and secrets of webhooks with what a caller sent. */
import { timingSafeEqual } from 'node:crypto'

/** Compares secrets in a time that does not depend on where they differ; their lengths may show. */
export function isEqualInConstantTime(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
