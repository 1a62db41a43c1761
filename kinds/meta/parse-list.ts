/** Parses a JSON list in a ConfigMap by the schema of its entries: any writer with kubectl may have set it. */
import type { z } from 'zod'

/** The entries that fit `schema`; others are left out, and a text that is no list has none. Never throws. */
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
