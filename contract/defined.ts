/**
 * Leaving out the fields that nothing is known of, where a type distinguishes an absent field from an undefined one.
 */

type OptionalKeys<Fields> = { [Key in keyof Fields]: undefined extends Fields[Key] ? Key : never }[keyof Fields]

/** The fields of an object that may be undefined, as fields that may be absent. */
export type Defined<Fields> = Omit<Fields, OptionalKeys<Fields>> & {
  [Key in OptionalKeys<Fields>]?: Exclude<Fields[Key], undefined>
}

/** The object without its undefined fields: `defined({ a: 1, b: undefined })` is `{ a: 1 }`. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  // fromEntries forgets the names
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>
}

/** The fields that were filled in: in a form, a text that was left blank is as good as absent. */
export function filledIn<Fields extends object>(fields: Fields): Partial<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '')
  return Object.fromEntries(entries) as Partial<Fields> // fromEntries forgets the names
}
