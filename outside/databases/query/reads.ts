/**
 * Which statements may be tried as reads. The engine itself keeps a read from writing; this check excludes commands
 * with effects outside of the transaction, such as `COPY ... TO PROGRAM`, `CALL` and `VACUUM INTO`.
 */

const words = {
  postgres: ['SELECT', 'WITH', 'VALUES', 'TABLE', 'SHOW', 'EXPLAIN'],
  mysql: ['SELECT', 'WITH', 'VALUES', 'TABLE', 'SHOW', 'EXPLAIN', 'DESCRIBE', 'DESC'],
  sqlite: ['SELECT', 'WITH', 'VALUES', 'EXPLAIN'],
} as const

export type WordedEngine = keyof typeof words

/** The refusal of the statement as a read; undefined where the engine may decide. */
export function whyNoRead(engine: WordedEngine, statement: string): string | undefined {
  const first = firstWord(engine, statement)
  if (words[engine].some((word) => word === first)) return undefined
  return `a query that only reads begins with ${words[engine].join(', ')}; ask with write for others`
}

/** In upper case; '' where the text does not begin with a word. A SELECT may be in parentheses. */
function firstWord(engine: WordedEngine, statement: string): string {
  const rest = withoutComments(engine, statement).replace(/^[\s(]+/, '')
  return (/^[a-z]+/i.exec(rest)?.[0] ?? '').toUpperCase()
}

/**
 * The text without the comments at its beginning. Comments of postgres nest; comments of mysql with an exclamation mark
 * are executed, and stay.
 */
function withoutComments(engine: WordedEngine, statement: string): string {
  let rest = statement.trimStart()
  for (;;) {
    const end = commentEnd(engine, rest)
    if (end === 0) return rest
    rest = rest.slice(end).trimStart()
  }
}

/**
 * The end of the comment at the beginning of the text; 0 without one, the length of the text for a comment without an
 * end.
 */
function commentEnd(engine: WordedEngine, text: string): number {
  if (text.startsWith('--') || (engine === 'mysql' && text.startsWith('#'))) {
    const at = text.search(engine === 'postgres' ? /[\r\n]/ : /\n/)
    return at < 0 ? text.length : at + 1
  }
  if (!text.startsWith('/*') || (engine === 'mysql' && /^\/\*M?!/.test(text))) return 0
  let depth = 0
  for (const { 0: mark, index } of text.matchAll(/\/\*|\*\//g)) {
    depth += mark === '*/' ? -1 : engine === 'postgres' || depth === 0 ? 1 : 0
    if (depth === 0) return index + 2
  }
  return text.length
}

/** Everything in SQLite in which a semicolon ends no statement; an unclosed quote extends to the end of the text. */
const quoted =
  /'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|`(?:[^`]|``)*(?:`|$)|\[[^\]]*(?:\]|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g

/**
 * The one statement in a text for SQLite, without its terminator: SQLite accepts several in one text, and rqlite parses
 * a comment after the end of a statement again and again. Undefined for none and for several; a trigger with a body
 * counts as several.
 */
export function oneStatement(text: string): string | undefined {
  const bare = text.replace(quoted, (found) => (/^(?:--|\/\*)/.test(found) ? ' ' : 'x').repeat(found.length))
  const end = bare.indexOf(';')
  if (end < 0) return bare.trim() === '' ? undefined : text
  return /[^\s;]/.test(bare.slice(end)) || bare.slice(0, end).trim() === '' ? undefined : text.slice(0, end)
}
