/** The values of a Secret: base64 under `data` where Kubernetes keeps them, text where they are used. */
import { valueAt } from '../../contract/fields/value-at.ts'

/** Enough of a Secret to read its values. */
interface WithData {
  data?: Readonly<Record<string, string>>
}

/** For the field `data` of one value. */
export const encoded = (text: string): string => Buffer.from(text).toString('base64')

/** The field `data` for texts by key. */
export function dataOf(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, encoded(text)]))
}

/** The texts by key; none of a Secret that is not there. */
export function textsOf(secret: WithData | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(secret?.data ?? {}).map(([key, value]) => [key, decoded(value)]))
}

/** One text; undefined when Secret or key is not there. */
export function textAt(secret: WithData | undefined, key: string): string | undefined {
  const value = valueAt(secret?.data, key)
  return value === undefined ? undefined : decoded(value)
}

const decoded = (value: string): string => Buffer.from(value, 'base64').toString('utf8')
