/** Parses JSON in an annotation by a schema: any writer with kubectl may have set it, so it may be anything. */
import type { z } from 'zod'
import type { ResourceMeta } from './resource.ts'

/** The value of an annotation. Both fields are undefined where the annotation is missing. */
export interface Parsed<T> {
  value?: T
  /** Why the annotation cannot be read, as a sentence without any of its text. */
  unreadable?: string
}

/** The annotation `name` parsed by `schema`, with the defaults of the schema. Never throws. */
export function parseAnnotation<T>({ annotations }: ResourceMeta, name: string, schema: z.ZodType<T>): Parsed<T> {
  const text = annotations?.[name]
  if (text === undefined) return {}
  const cannot = (why: string): Parsed<T> => ({ unreadable: `the annotation ${name} cannot be read: ${why}` })
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return cannot('it is no JSON') // the parser's own message would repeat a part of the text
  }
  const { data, error } = schema.safeParse(json)
  if (error === undefined) return { value: data }
  const [{ path, message } = { path: [], message: 'it is not as svc writes it' }] = error.issues
  return cannot(path.length === 0 ? message : `${path.join('.')}: ${message}`)
}
