/** The answer of another server, parsed by a schema: it may be of anything that listens at its address. */
import type { z } from 'zod'

type Reviver = Parameters<typeof JSON.parse>[1]

/**
 * Undefined for a text that is no JSON, or of another shape: the caller knows whose answer it is, and says that no part
 * of it is used. Never throws.
 */
export function parsedBy<T>(schema: z.ZodType<T>, text: string, reviver?: Reviver): T | undefined {
  let json: unknown
  try {
    json = JSON.parse(text, reviver)
  } catch {
    return undefined // the parser's own message would repeat a part of the text
  }
  return schema.safeParse(json).data
}
