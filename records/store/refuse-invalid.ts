/** Turns a validation error of the API server into a refusal with the sentence of the broken rule. */
import { type Cause, isInvalid } from '../../cluster/objects/errors.ts'
import { refuse } from '../../contract/problem.ts'

const longestRefusal = 300
/** A note that the API server adds to refusals of types and bounds; no rule of svc. */
const furtherRules = 'some validation rules were not checked'
/** Bounds, in the words of svc's own refusals: `BIG may not be more than 65536 bytes`. */
const bounds: Readonly<Record<string, (message: string) => string>> = {
  FieldValueTooLong: (message) => message.replace(/^Too long: /, ''),
  FieldValueTooMany: (message) => message.replace(/^Too many: \d+: /, ''),
  FieldValueDuplicate: () => 'must not repeat a value',
}

/**
 * For `.catch()` of a write of a record: throws Problem invalid_request for a validation error, else the error itself.
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
  // In the messages of CEL rules, types and patterns a whole sentence follows the value that they refuse.
  const rule = /^Invalid value: (?:(?:"(?:[^"\\]|\\.)*"|-?[0-9.]+|null|true|false): )?(.+)$/s.exec(message)?.[1]
  return rule ?? `${field}: ${message}`
}

/** `spec.environments[7]` is the 8th of `environments`. */
const lastName = (field: string): string =>
  field
    .split('.')
    .at(-1)
    ?.replace(/\[\d+\]$/, '') ?? field
