/** Texts for fields that have a limit, such as the message of a condition. */

/** What a text ends with that is not whole. */
const mark = ' …'

/** The text, or as much of it as fits into `most` characters, with a mark at its end. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  // A surrogate pair is never split.
  return `${text.slice(0, most - mark.length).replace(/[\uD800-\uDBFF]$/, '')}${mark}`
}
