/** The protocol of redis (RESP2), as far as single commands need it. */

/** `error` is a refusal by the server; texts are bytes, since keys and values are. */
export type Reply =
  | { readonly kind: 'status' | 'error'; readonly text: string }
  | { readonly kind: 'integer'; readonly value: bigint }
  | { readonly kind: 'bulk'; readonly bytes: Buffer }
  | { readonly kind: 'array'; readonly items: readonly Reply[] }
  | { readonly kind: 'nil' }

/** A command with its arguments, encoded for the server. */
export function commandOf(words: readonly string[]): Buffer {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
  return Buffer.from(`*${words.length}\r\n${parts.join('')}`)
}

/**
 * Collects one reply. The received bytes are scanned once, to find the end of the reply, and parsed when it is
 * complete: an answer of many small elements comes in many pieces.
 */
export class ReplyReader {
  #data: Buffer = Buffer.alloc(0)
  #at = 0
  /** Elements that have to come. */
  #missing = 1

  /** The reply once it is whole. Throws Error for what is no RESP2. */
  take(chunk: Buffer): Reply | undefined {
    this.#data = Buffer.concat([this.#data, chunk])
    while (this.#missing > 0) {
      const line = this.#data.indexOf('\r\n', this.#at)
      if (line < 0) return undefined
      const kind = this.#data.toString('latin1', this.#at, this.#at + 1)
      const length = Number(this.#data.toString('latin1', this.#at + 1, line))
      const end = line + 2 + (kind === '$' && length >= 0 ? length + 2 : 0)
      if (end > this.#data.length) return undefined
      this.#missing += (kind === '*' && length > 0 ? length : 0) - 1
      this.#at = end
    }
    return replyIn(this.#data, 0, 0).reply
  }
}

/** Deeper than the arrays in the reply of any command. */
const deepest = 32

/** The reply that begins at `from` in complete data, and where it ends. */
function replyIn(data: Buffer, from: number, depth: number): { reply: Reply; end: number } {
  if (depth > deepest) throw new Error('the answer is nested too deep')
  const line = data.indexOf('\r\n', from)
  const text = data.toString('utf8', from + 1, line)
  const end = line + 2
  switch (data.toString('latin1', from, from + 1)) {
    case '+':
      return { reply: { kind: 'status', text }, end }
    case '-':
      return { reply: { kind: 'error', text }, end }
    case ':':
      return { reply: { kind: 'integer', value: BigInt(text) }, end }
    case '$':
      return Number(text) < 0
        ? { reply: { kind: 'nil' }, end }
        : { reply: { kind: 'bulk', bytes: data.subarray(end, end + Number(text)) }, end: end + Number(text) + 2 }
    case '*':
      return Number(text) < 0 ? { reply: { kind: 'nil' }, end } : itemsIn(data, Number(text), end, depth)
    default:
      throw new Error('the server does not speak the protocol of redis')
  }
}

function itemsIn(data: Buffer, length: number, from: number, depth: number): { reply: Reply; end: number } {
  const items: Reply[] = []
  let end = from
  while (items.length < length) {
    const next = replyIn(data, end, depth + 1)
    items.push(next.reply)
    end = next.end
  }
  return { reply: { kind: 'array', items }, end }
}

/**
 * Splits a command as redis-cli does: words are separated by blanks; a word with blanks is in quotes, with `\n` and the
 * like in double quotes. Undefined for quotes without an end.
 */
export function wordsOf(command: string): string[] | undefined {
  const word = /\s*(?:"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])*)'|([^\s"']+))(?=\s|$)/y
  const words: string[] = []
  const text = command.trim()
  while (word.lastIndex < text.length) {
    const found = word.exec(text)
    if (found === null) return undefined
    const [, double, single, bare = ''] = found
    words.push(double === undefined ? (single?.replaceAll("\\'", "'") ?? bare) : unescaped(double))
  }
  return words
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\u0007' }

const unescaped = (text: string): string =>
  text.replace(/\\([\s\S])/g, (_, escaped: string) => escapes[escaped] ?? escaped)
