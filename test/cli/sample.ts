/** Answers made from the contract, for tests that need any answer of the right shape. */
interface Schema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Schema>>
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly format?: string
}

/** Texts of a form of their own, by the name of their field. */
const texts: Readonly<Record<string, string>> = {
  project: 'proj-1a2b3c4d',
  environment: 'production',
  url: 'https://web.example.com',
}

/** A value of the schema with every property, one item in each list, and `web` for every other text. */
export function sampleOf(schema: object): unknown {
  const root = schema as Schema // what zod prints; every part that is not known here is left out
  const valueOf = (part: Schema, name = ''): unknown => {
    if (part.$ref !== undefined) return valueOf(root.$defs?.[part.$ref.replace('#/$defs/', '')] ?? {}, name)
    if ('const' in part) return part.const
    if (part.enum !== undefined) return part.enum[0]
    const [choice] = part.anyOf ?? part.oneOf ?? []
    if (choice !== undefined) return valueOf(choice, name)
    if (part.properties !== undefined)
      return Object.fromEntries(Object.entries(part.properties).map(([field, each]) => [field, valueOf(each, field)]))
    const [type = 'object'] = [part.type ?? []].flat()
    if (type === 'string') return part.format === 'date-time' ? '2026-11-21T13:00:00Z' : (texts[name] ?? 'web')
    return plain[type]?.(part, valueOf) ?? {}
  }
  return valueOf(root)
}

const plain: Readonly<Record<string, (part: Schema, valueOf: (part: Schema) => unknown) => unknown>> = {
  array: ({ items = {} }, valueOf) => [valueOf(items)],
  integer: () => 1,
  number: () => 1,
  boolean: () => true,
  null: () => null,
}
