/** JSON in an annotation, read by its schema: anyone with kubectl may have written it, so it may be anything. */
import type { z } from 'zod'
import type { ResourceMeta } from './resource.ts'

/** What an annotation holds. Both are undefined where there is no such annotation. */
export interface Parsed<T> {
  value?: T
  /** Why it cannot be read, as a sentence that holds nothing of its text. */
  unreadable?: string
}

/** The annotation `name` as `schema` has it, with the defaults of the schema. Never throws. */
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
