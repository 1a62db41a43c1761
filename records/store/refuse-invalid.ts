/** What the cluster's own rules refuse, as the caller's mistake in the rule's sentence. */
import { type Cause, isInvalid } from '../../cluster/objects/errors.ts'
import { refuse } from '../../contract/problem.ts'

const longestRefusal = 300
/** The server's own note beside the refusals of types and bounds; no rule of ours. */
const furtherRules = 'some validation rules were not checked'
/** Bounds, which are said in the words of our own refusals: `BIG may not be more than 65536 bytes`. */
const bounds: Readonly<Record<string, (message: string) => string>> = {
  FieldValueTooLong: (message) => message.replace(/^Too long: /, ''),
  FieldValueTooMany: (message) => message.replace(/^Too many: \d+: /, ''),
  FieldValueDuplicate: () => 'must not repeat a value',
}

/**
 * For `.catch()` of a write of a record: throws Problem invalid_request, or the error itself when it is another one.
 */
export function refuseInvalid(error: unknown): never {
  if (!isInvalid(error)) throw error
  const sentences = error.causes.filter(({ message }) => !message.includes(furtherRules)).map(sentenceOf)
  throw refuse(
    (sentences.length === 0 ? error.message : [...new Set(sentences)].join('; ')).slice(0, longestRefusal),
    error,
  )
}

function sentenceOf({ field, reason, message }: Cause): string {
  const bound = bounds[reason]
  if (bound !== undefined) return `${lastName(field)} ${bound(message)}`
  // The rules of our definitions, and those of types and patterns, are whole sentences behind the value that they
  // refuse.
  const rule = /^Invalid value: (?:(?:"(?:[^"\\]|\\.)*"|-?[0-9.]+|null|true|false): )?(.+)$/s.exec(message)?.[1]
  return rule ?? `${field}: ${message}`
}

/** `spec.environments[7]` is the 8th of `environments`. */
const lastName = (field: string): string =>
  field
    .split('.')
    .at(-1)
    ?.replace(/\[\d+\]$/, '') ?? field
