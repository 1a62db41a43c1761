/** Reading the lines of a .env file. */

export interface EnvLines {
  /** The last value of each name, in the order of the text. */
  readonly found: readonly (readonly [name: string, value: string])[]
  /** Beginnings of lines that are no `NAME=value`. */
  readonly unread: readonly string[]
}

const shownLength = 30

/** Blank lines and comments are left out; `export` and a pair of quotes around a value are taken off. */
export function readEnv(text: string): EnvLines {
  const found = new Map<string, string>()
  const unread: string[] = []
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '' || line.startsWith('#')) continue
    const [, name, value] = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/.exec(line) ?? []
    // Only the beginning is shown: a value may be a secret that was pasted by mistake.
    if (name === undefined || value === undefined) unread.push((line.split('=')[0] ?? '').slice(0, shownLength))
    else found.set(name, unquoted(value))
  }
  return { found: [...found], unread }
}

function unquoted(value: string): string {
  const quote = value.at(0)
  const isQuoted = value.length > 1 && (quote === '"' || quote === "'") && value.endsWith(quote)
  return isQuoted ? value.slice(1, -1) : value
}
