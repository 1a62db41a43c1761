/** Building blocks of params: plain JSON types that carry their refusal beside the field. */
import { z } from 'zod'
import { bucketName, environmentNameMax, nodeTagNameMax, objectNameMax, variableNameMax } from '../limits.ts'
import * as patterns from './patterns.ts'
import { refusals } from '../problem.ts'

/** What a field's text form needs beyond its type; kept in a registry because `.meta()` would leak it into OpenAPI. */
export interface FieldOptions {
  /** Other names under which the field is accepted. */
  readonly aliases?: readonly string[]
  /** A list that may also arrive as one comma-separated value. */
  readonly commas?: true
  /** Set by a signed-in admin only; API tokens are refused. */
  readonly adminSession?: true
  /** Set by an admin only, also with a token of the workspace; project tokens are refused. */
  readonly admin?: true
  /** Never logged, never repeated in an error. */
  readonly secret?: true
}

export const fieldOptions = z.registry<FieldOptions>()

/** Registers options and hands the schema back; call it last, since every zod method makes a new schema. */
export function withFieldOptions<Schema extends z.ZodType>(schema: Schema, options: FieldOptions): Schema {
  fieldOptions.add(schema, options)
  return schema
}

/** A sentence for every way a value can be wrong. */
const say = (refusal: string): { error: string } => ({ error: refusal })
/** The same, and another sentence where there is no value at all. */
const sayAbsent = (name: string, refusal: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? `${name} is required` : refusal),
})
/** The refusal of a wrong length, which ends the checks: patterns are not tried on megabytes. */
const sayOnly = (refusal: string): { error: string; abort: true } => ({ error: refusal, abort: true })

/** A text that must be there and not be empty. */
export const text = (name: string, options: { max?: number; refusal?: string } = {}) => {
  const refusal = options.refusal ?? `${name} is required`
  const max = options.max ?? 1000
  return z
    .string(say(refusal))
    .trim()
    .min(1, say(refusal))
    .max(max, say(`${name} must be at most ${max} characters`))
    .refine(hasNoNul, say(`${name} must not contain a NUL character`))
}

/**
 * A text of any content, the empty one included; for values, code and searches. No process takes a NUL in its
 * environment.
 */
export const anyText = (name: string, max?: number) => {
  const schema = z
    .string(sayAbsent(name, `${name} must be text`))
    .refine(hasNoNul, say(`${name} must not contain a NUL character`))
  return max === undefined ? schema : schema.max(max, say(`${name} must be at most ${max} characters`))
}

type Said = Parameters<typeof z.string>[0]

/** A text that matches a pattern, or is refused with the given sentence; `absent` is said where there is none. */
export const matching = (pattern: RegExp, refusal: string, max = 1000, absent: Said = say(refusal)) =>
  z.string(absent).trim().max(max, sayOnly(refusal)).regex(pattern, say(refusal))

/** The same, where the empty text means "none" and clears what was stored. */
export const matchingOrEmpty = (pattern: RegExp, refusal: string, max = 1000) =>
  matching(patterns.orEmpty(pattern), refusal, max)

/** The run ID of Temporal. */
export const runId = () => matching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'run must be the ID of a run', 36)

/** A whole number in a range; one sentence for every way to miss it. */
export const wholeNumber = (
  name: string,
  min: number,
  max: number,
  refusal = `${name} must be a whole number from ${min} to ${max}`,
) => z.number(say(refusal)).int(say(refusal)).min(min, say(refusal)).max(max, say(refusal))

/** A switch: on, true, 1, yes or off, false, 0, no. Absent means "leave it as it is". */
export const flag = (name: string) => z.boolean(say(`${name} must be on or off`))

/** One of a few words. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(name: string, words: Words) =>
  z.enum(words, say(`${name} must be ${sentenceList(words)}`))

/** A repeated field. An empty text among the values is dropped, so one empty value means the empty list. */
export const list = <Item extends z.ZodType>(item: Item, refusal: string, max?: number) => {
  const schema = z.array(item, say(refusal))
  return max === undefined ? schema : schema.max(max, say(refusal))
}

/** A list of tags: repeated, or one value with commas. */
export const tagList = <Item extends z.ZodType>(item: Item, refusal: string, max: number) =>
  withFieldOptions(list(item, refusal, max), { commas: true })

export const environmentName = (name = 'environment') => {
  const refusal = `${name} must be a lowercase DNS label`
  return matching(patterns.dnsLabel, refusal, environmentNameMax, sayAbsent(name, refusal))
}

export const variableName = () => matching(patterns.variableName, refusals.variableName, variableNameMax)

/** A node tag (docs/reference/nodes.md#placement). */
export const nodeTag = () =>
  matching(
    patterns.dnsLabel,
    `a node tag must use lowercase letters, digits, and hyphens, up to ${nodeTagNameMax} characters`,
    nodeTagNameMax,
  )

/** Regions are node tags in all but name; the empty one is any. */
export const region = () =>
  matchingOrEmpty(
    patterns.dnsLabel,
    `region must use lowercase letters, digits, and hyphens, up to ${nodeTagNameMax} characters`,
    nodeTagNameMax,
  )

/** The name of a connection's record in the same namespace; the empty text is none. */
export const connectionRef = () =>
  matchingOrEmpty(patterns.objectName, 'connectionRef must be the name of a connection', objectNameMax)

/** The name of a bucket (docs/reference/object-stores.md#fields). */
export const bucketNameField = (name = 'bucket') => {
  const refusal = `${name} must be a bucket name of ${bucketName.min} to ${bucketName.max} lowercase letters, digits, dots, and hyphens`
  return matching(patterns.strictBucketName, refusal, bucketName.max)
}

/** The name typed again before something is deleted. */
export const confirmName = () => z.string(say(refusals.confirmation))

/** A resource's name in a path or field. Never refused here: one that cannot exist is simply not found. */
export const resourceName = (name: string) =>
  z
    .string(say(`${name} is required`))
    .trim()
    .min(1, say(`${name} is required`))

function hasNoNul(value: string): boolean {
  return !value.includes('\0')
}

/** `bun, node, or python` */
function sentenceList(words: readonly string[]): string {
  if (words.length < 3) return words.join(' or ')
  return `${words.slice(0, -1).join(', ')}, or ${words.at(-1)}`
}
