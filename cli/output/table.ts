/** Tables for people: padded columns without borders, headings in capitals; nothing when there are no rows. */
import { plainLine, type Terminal, visibleLine } from '../session/terminal.ts'

/** Spaces between two columns. */
const gap = 3
/** A column that is narrower says nothing. */
const narrowest = 4

/**
 * Wide characters count as the two columns they take. On a terminal the table is as wide as that, and what does not fit
 * ends with `…`; elsewhere nothing is cut.
 * @param named the heading of the column that is cut last: it holds what other commands take.
 */
export async function printTable(
  terminal: Terminal,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  named = head[0],
): Promise<void> {
  const { default: Table } = await import('cli-table3')
  const cellText = (cell: string, column: number): string => {
    const text = visibleLine(cell)
    return ['state', 'phase'].includes(head[column] ?? '') ? stateText(terminal, text) : text
  }
  const cells = [head.map((title) => plainLine(title).toUpperCase()), ...rows.map((row) => row.map(cellText))]
  const draw = (colWidths: number[]) => {
    const table = new Table({ chars: bare, style, colWidths })
    table.push(...cells)
    // It fills in the widths that it was not given.
    return { text: table.toString(), widths: table.options.colWidths.map((width) => width ?? 0) }
  }
  const whole = draw([])
  const fitted = terminal.live ? fit(whole.widths, terminal.columns(), head.indexOf(named ?? '')) : whole.widths
  const text = fitted === whole.widths ? whole.text : draw([...fitted]).text
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trimEnd()
    terminal.styledLine(index === 0 ? terminal.colors.bold(trimmed) : trimmed)
  }
}

const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true }
const borders =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid'
const bare = { ...Object.fromEntries(borders.split(' ').map((name) => [name, ''])), middle: ' '.repeat(gap) }

/** Takes from the widest column until the row fits; the one with the names comes last. */
function fit(widths: readonly number[], columns: number, named: number): readonly number[] {
  const fitted = [...widths]
  let over = fitted.reduce((sum, width) => sum + width + gap, -gap) - columns
  if (over <= 0) return widths
  for (; over > 0; over -= 1) {
    const widest = Math.max(...fitted.filter((_, at) => at !== named))
    const at = widest > narrowest ? fitted.findIndex((width, each) => each !== named && width === widest) : named
    if ((fitted[at] ?? 0) <= narrowest) break
    fitted[at] = (fitted[at] ?? 0) - 1
  }
  return fitted
}

/** Names and their values, one a line; empty values are left out. */
export function printPairs(terminal: Terminal, pairs: readonly (readonly [string, string | undefined])[]): void {
  const given = pairs.filter(([, value]) => value !== undefined && value !== '')
  const width = Math.max(0, ...given.map(([name]) => name.length)) + 2
  for (const [name, value = ''] of given) {
    terminal.styledLine(`${terminal.colors.dim(`${plainLine(name)}:`.padEnd(width))}${plainLine(value)}`)
  }
}

/** A state in the colour of its meaning. */
function stateText({ colors }: Terminal, state: string): string {
  if (['ready', 'Succeeded', 'Available'].includes(state)) return colors.green(state)
  if (['failed', 'Failed'].includes(state)) return colors.red(state)
  return ['pending', 'deleting', 'Running', 'RollingOut'].includes(state) ? colors.yellow(state) : state
}
