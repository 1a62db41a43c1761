/** Form fields to typed values, driven by the schema; both surfaces meet here in one parse. */
import { z } from 'zod'
import { fieldOptions } from '../fields/fields.ts'
import { isTooDeep } from './nesting.ts'
import { listValuesMax } from '../limits.ts'
import { refuse, type Problem } from '../problem.ts'

/** Field name to its values, as a form repeats them; keys with no values are absent. */
export type Fields = ReadonlyMap<string, readonly string[]>

const onWords = new Set(['on', 'true', '1', 'yes'])
const offWords = new Set(['off', 'false', '0', 'no'])

/**
 * Decodes and checks in one go.
 * @throws Problem `invalid_request` with the sentence of the first field that fails, in the order of the schema.
 */
export function decode<Schema extends z.ZodObject>(schema: Schema, fields: Fields): z.output<Schema> {
  const raw: Record<string, unknown> = {}
  for (const [name, type] of Object.entries<z.core.$ZodType>(schema.shape)) {
    const values = valuesOf(name, type, fields)
    if (values === undefined) continue
    if (values.length > listValuesMax) throw refuse(`${name} must have at most ${listValuesMax} values`)
    const value = fromText(type, values)
    if (value !== undefined) raw[name] = value
  }
  const result = schema.safeParse(raw)
  if (result.success) return result.data
  throw problemOfFields(result.error)
}

/** The first issue's sentence is the answer; the paths of the issues go to the log, values never do. */
export function problemOfFields(error: z.ZodError): Problem {
  const [first] = error.issues
  return refuse(first?.message ?? 'the request is invalid')
}

/** The field options of a schema, looked for through optional and default wrappers. */
export function fieldOptionsOf(type: z.core.$ZodType) {
  return fieldOptions.get(type) ?? fieldOptions.get(bare(type))
}

/** The schema inside optional, default and nullable wrappers. */
export function bare(type: z.core.$ZodType): z.core.$ZodType {
  let inner = type
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodNullable) {
    inner = inner.def.innerType
  }
  return inner
}

function valuesOf(name: string, type: z.core.$ZodType, fields: Fields): readonly string[] | undefined {
  for (const key of [name, ...(fieldOptionsOf(type)?.aliases ?? [])]) {
    const values = fields.get(key)
    if (values !== undefined && values.length > 0) return values
  }
  return undefined
}

/** Text that does not fit the type is passed on as it is, so that the schema refuses it in its own words. */
function fromText(type: z.core.$ZodType, values: readonly string[]): unknown {
  const inner = bare(type)
  if (inner instanceof z.ZodArray) return listFromText(inner, values, fieldOptionsOf(type)?.commas === true)
  const [first = ''] = values
  if (inner instanceof z.ZodString) return first
  if (inner instanceof z.ZodObject) return first === '' ? undefined : jsonFromText(first)
  // An empty number, switch or choice is an input left blank: the field is absent.
  if (first.trim() === '') return undefined
  return scalarFromText(inner, first)
}

function scalarFromText(type: z.core.$ZodType, value: string): unknown {
  if (type instanceof z.ZodNumber) return /^\s*[+-]?\d{1,15}\s*$/.test(value) ? Number(value) : value
  if (type instanceof z.ZodBoolean) {
    const word = value.trim().toLowerCase()
    return onWords.has(word) ? true : offWords.has(word) ? false : value
  }
  return value.trim()
}

function listFromText(type: z.ZodArray, values: readonly string[], commas: boolean): unknown {
  const item = bare(type.element)
  const texts = commas ? values.flatMap((value) => value.split(',')).map((value) => value.trim()) : values
  const given = texts.filter((value) => value !== '')
  if (!(item instanceof z.ZodObject)) return given.map((value) => fromText(item, [value]))
  // One value may hold the whole list: `functionTriggers` is one schedule or a list of them
  // (docs/reference/services.md#functions).
  return given.map(jsonFromText).flat()
}

function jsonFromText(value: string): unknown {
  try {
    const parsed: unknown = JSON.parse(value)
    return isTooDeep(parsed) ? value : parsed
  } catch {
    return value
  }
}
