/**
 * Device sign-in starts: ten a minute per remote address of the connection; forwarded addresses are not read
 * (docs/reference/limits.md#sign-in-and-tokens).
 */
import { deviceStartsPerMinute } from '../../contract/limits.ts'
import { createCounter } from '../counters/count.ts'

export interface StartLimit {
  /** Throws Problem rate_limited when this address has started ten in the current minute. */
  admit(peer: string): Promise<void>
}

export function createStartLimit(): StartLimit {
  const counter = createCounter({ points: deviceStartsPerMinute, seconds: 60 })
  return { admit: (peer) => counter.admit(peer) }
}
