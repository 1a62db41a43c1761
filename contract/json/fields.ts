/** The four JSON-to-form conversion rules of versioned writes, and the way back that the client uses. */
import type { Fields } from './decode.ts'
import { withExactNumbers } from './exact-numbers.ts'
import { isTooDeep } from './nesting.ts'
import { formFieldsMax, jsonNestingMax } from '../limits.ts'
import { refuse } from '../problem.ts'

/**
 * Rules 1 to 3: a JSON object and the query string as form fields; the body wins over the same query field.
 * A body field of `false`, `null` or `[]` is omitted, and hides a query field of its name all the same.
 * @throws Problem when a list holds a list.
 */
export function jsonToFields(body: Readonly<Record<string, unknown>>, query: Fields): Fields {
  const fields = new Map(query)
  for (const [name, value] of Object.entries(body)) {
    const values = Array.isArray(value) ? value.flatMap((item) => itemText(name, item)) : scalarText(value)
    if (values.length > 0) fields.set(name, values)
    else fields.delete(name)
  }
  return fields
}

/** Rule 4: the text of a request body as a JSON object; nothing at all counts as an empty one. */
export function parseJsonObject(text: string): Record<string, unknown> {
  if (text.trim() === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw refuse('request body is not valid JSON', error instanceof SyntaxError ? undefined : error)
  }
  if (!isObject(value)) throw refuse('request body must be a JSON object')
  if (isTooDeep(value)) throw refuse(`request body must not nest deeper than ${jsonNestingMax} levels`)
  const exact = withExactNumbers(text)
  return exact === text ? value : (JSON.parse(exact) as Record<string, unknown>) // the same object, with texts in it
}

/**
 * A query string or a form body as fields, in the order of the text.
 * @throws Problem for more fields than any form has: the parser takes minutes for a million of them.
 */
export function formToFields(text: string): Fields {
  if (holdsMoreThan(text, '&', formFieldsMax)) throw refuse(`a form must have at most ${formFieldsMax} fields`)
  const fields = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(text)) {
    const values = fields.get(name)
    if (values === undefined) fields.set(name, [value])
    else values.push(value)
  }
  return fields
}

/**
 * Typed params as a JSON body that survives the conversion: `false` travels as `off`, an empty list as the empty text,
 * since the rules would omit both. Undefined stays absent.
 */
export function paramsToJson(params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined) continue
    body[name] = value === false ? 'off' : Array.isArray(value) && value.length === 0 ? '' : value
  }
  return body
}

function itemText(name: string, item: unknown): string[] {
  if (Array.isArray(item)) throw refuse(`${name} must not be a list of lists`)
  return scalarText(item)
}

function scalarText(value: unknown): string[] {
  if (value === undefined || value === null || value === false) return []
  if (value === true) return ['on']
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  return [JSON.stringify(value)]
}

function holdsMoreThan(text: string, mark: string, max: number): boolean {
  let at = -1
  for (let count = 0; count <= max; count += 1) {
    at = text.indexOf(mark, at + 1)
    if (at < 0) return false
  }
  return true
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
