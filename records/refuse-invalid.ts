/** What the cluster's own rules refuse, as the caller's mistake in the rule's sentence. */

import { isInvalid } from '../cluster/errors.ts'
import { refuse } from '../contract/problem.ts'

const longestRefusal = 300

/** For `.catch()` of a write of a record: throws Problem invalid_request, or the error itself when it is another one. */
export function refuseInvalid(error: unknown): never {
  if (!(error instanceof Error) || !isInvalid(error)) throw error
  const sentence =
    boundOf(error.message) ?? error.message.split(/Invalid value: (?:"object"|"array"|"string"): |<nil>: Invalid value: /).at(-1) ?? error.message
  throw refuse(sentence.slice(0, longestRefusal), error)
}

/** `spec.configData.A: Too long: may not be more than 65536 bytes` in the words of our own refusals. */
function boundOf(message: string): string | undefined {
  const [, field, rule = 'must not repeat a value'] =
    /spec\.(\S+): (?:Too (?:many: \d+|long): ((?:must have|may not be) [a-z0-9 ]+)|Duplicate value)/.exec(message) ?? []
  return field === undefined
    ? undefined
    : `${
        field
          .split('.')
          .at(-1)
          ?.replace(/\[\d+\]$/, '') ?? field
      } ${rule}`
}
