/** Numbers of a JSON text that JSON.parse would round: as texts they reach their field as they are written. */

/** Digits that every number keeps. */
const exactDigits = 15
/** Whether a text may hold a number that is rounded. */
const longNumber = /\d{16}|\.\d{15}|\d[eE]/

/**
 * The JSON text of an object with its rounded numbers as texts: an ID of twenty digits that a program sent as a number.
 * Those inside an object stay as they are, since an object travels as its JSON text. Read by character: a pattern for
 * the texts between the numbers takes a second for 2 MiB of short ones.
 * @param text valid JSON
 */
export function withExactNumbers(text: string): string {
  if (!longNumber.test(text)) return text
  const numbers = /[-\d][\d.eE+-]*/y
  let exact = ''
  let copied = 0
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '"') at = endOfText(text, at)
    else if (char === '{') depth += 1
    else if (char === '}') depth -= 1
    else if (depth === 1 && (char === '-' || (char >= '0' && char <= '9'))) {
      numbers.lastIndex = at
      const number = numbers.exec(text)?.[0] ?? char
      if (isRounded(number)) {
        exact += `${text.slice(copied, at)}"${number}"`
        copied = at + number.length
      }
      at += number.length - 1
    }
  }
  return exact + text.slice(copied)
}

/** The place of the quote that ends the text which begins at `start`. */
function endOfText(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1
  return at
}

function isRounded(number: string): boolean {
  const value = Number(number)
  if (!Number.isFinite(value)) return true
  return number.length > exactDigits && String(value) !== number
}
