/** A JSON list in a ConfigMap, read by the schema of its entries: anyone with kubectl may have written it. */
import type { z } from 'zod'

/** The entries that `schema` knows; the others are left out, and a text that is no list has none. Never throws. */
export function parseList<T>(text: string | undefined, schema: z.ZodType<T>): T[] {
  let json: unknown
  try {
    json = JSON.parse(text ?? '[]')
  } catch {
    return []
  }
  if (!Array.isArray(json)) return []
  return json.flatMap((entry) => {
    const { data, success } = schema.safeParse(entry)
    return success ? [data] : []
  })
}
