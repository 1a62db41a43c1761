/** The field of a form that a refusal is about, so that the sentence stands beside it. */

interface Named {
  readonly name: string
  readonly label: string
  readonly kind?: string
}

/** A shorter value is in too many sentences by chance. */
const valueMin = 3

/**
 * The one that the sentence begins with, or asks to set; else the only one whose name or label it has; else the only
 * one whose value it repeats. Undefined where it may be about several, or about none.
 */
export function refusedField<Field extends Named>(
  sentence: string,
  fields: readonly Field[],
  values: Readonly<Record<string, unknown>>,
): Field | undefined {
  const said = plain(sentence)
  const repeats = ({ name, kind = 'text' }: Field): boolean => {
    const value = values[name]
    return kind === 'text' && typeof value === 'string' && value.length >= valueMin && has(said, value)
  }
  return (
    fields.find(({ name }) => sentence.replace(/^Set an? /, '').startsWith(`${name} `)) ??
    only(fields, ({ name, label }) => has(said, name) || has(said, label)) ??
    only(fields, repeats)
  )
}

function only<Field>(fields: readonly Field[], isMeant: (field: Field) => boolean): Field | undefined {
  const [field, ...others] = fields.filter(isMeant)
  return others.length === 0 ? field : undefined
}

/** As words of their own. */
const has = (said: string, words: string): boolean => ` ${said} `.includes(` ${plain(words)} `)

/** Words without what stands around them. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replaceAll(/^[("]+|[,;:.)"]+$/g, ''))
    .join(' ')
